import type { Transaction } from '../database/store.ts'
import { type Membership, membershipsOf } from '../members/records.ts'
import { takeTicket } from '../members/sign-in-records.ts'
import type { Answer, PrivateRequest } from '../operation.ts'
import { htmlAnswer, redirect } from './answers.ts'
import { readGuardedForm, readOwnForm, whoIsThere } from './desk.ts'
import type { Notice } from './pages/model.ts'
import { signInPage } from './pages/sign-in.ts'
import { signInConfirmPage } from './pages/sign-in-confirm.ts'
import { nowOf, type SettingsParts } from './parts.ts'
import { paths } from './paths.ts'
import { csrfOf, hashSecret, isSecret, makeSecret } from './secret.ts'
import { endSession, LONGEST_SECONDS, startSession } from './sessions.ts'

const VISIT_SECONDS = 3600

/** Named in the address, so that no text of anybody else's can be put on the page. */
const notices: Record<string, Notice> = {
  'signed-out': { tone: 'good', text: 'You are signed out.' },
  ended: { tone: 'neutral', text: 'You have been signed out. Sign in again to go on.' },
  begin: { tone: 'neutral', text: 'Choose how to sign in. If this page keeps coming back, allow its cookies first.' },
}

const USED_UP = 'This link does not work any more: it was used already, or its 15 minutes are over. Ask for a new one.'

export async function showSignIn(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const name = request.query.get('notice') ?? ''
  const notice = Object.hasOwn(notices, name) ? (notices[name] ?? null) : null
  const visitor = visitorOf(request, parts) ?? makeSecret()
  return htmlAnswer(
    200,
    signInPage({ oidc: parts.provider !== undefined, notice }),
    parts.provider === undefined ? [] : parts.cookies.set('visitor', visitor, VISIT_SECONDS),
  )
}

export function refuseSignIn(parts: SettingsParts, status: number, text: string, headers: string[] = []): Answer {
  const notice = { tone: 'bad', text } as const
  return htmlAnswer(status, signInPage({ oidc: parts.provider !== undefined, notice }), headers)
}

/** Only a button: programs that open the links in people's mail must not use them up. */
export async function confirmLink(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const token = request.query.get('token') ?? ''
  if (!isSecret(token)) return refuseSignIn(parts, 400, 'This link is not whole. Copy all of it, to its end.')
  // Kept if there is one, so that a second link opened beside the first does not spoil its button.
  const visitor = visitorOf(request, parts) ?? makeSecret()
  return htmlAnswer(
    200,
    signInConfirmPage({ token, csrf: csrfOf(visitor) }),
    parts.cookies.set('visitor', visitor, VISIT_SECONDS),
  )
}

/** What the sign-in pages have given this browser. It is SameSite: what a foreign page asks for on its own lacks it. */
export function visitorOf(request: PrivateRequest, { cookies }: SettingsParts): string | undefined {
  const visitor = cookies.read(request.header('cookie'), 'visitor')
  return isSecret(visitor) ? visitor : undefined
}

export async function followLink(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const form = await readGuardedForm(request, parts, csrfOf(visitorOf(request, parts) ?? makeSecret()))
  parts.attempts.count('link', request.caller.address)
  const token = form.get('token') ?? ''
  const welcome = await parts.store.transaction(async (tx) => {
    const nowMs = nowOf(parts, tx)
    const ticket = await takeTicket(tx, hashSecret(token), 'link', new Date(nowMs).toISOString())
    if (ticket === undefined) return undefined
    return admitPerson(tx, ticket.subject, 'link', nowMs, ticket.detail.workspace)
  })
  if (welcome === undefined) return refuseSignIn(parts, 410, USED_UP, parts.cookies.clear('visitor'))
  return enter(parts, welcome, parts.cookies.clear('visitor'))
}

export interface Welcome {
  secret: string
  workspace: Membership
}

/** Starts a session, if the person is a member of something. */
export async function admitPerson(
  tx: Transaction,
  email: string,
  by: 'link' | 'oidc',
  nowMs: number,
  wanted?: string,
): Promise<Welcome | undefined> {
  const memberships = await membershipsOf(tx, email)
  const workspace = memberships.find(({ slug }) => slug === wanted) ?? memberships[0]
  if (workspace === undefined) return undefined
  return { secret: await startSession(tx, { email, memberships, by }, nowMs), workspace }
}

export function enter(parts: SettingsParts, { secret, workspace }: Welcome, headers: string[]): Answer {
  const cookie = parts.cookies.set('session', secret, LONGEST_SECONDS)
  return redirect(paths.keys(workspace.slug), [...cookie, ...headers])
}

export async function signOut(request: PrivateRequest, parts: SettingsParts): Promise<Answer> {
  const visit = await whoIsThere(request, parts)
  if (visit !== undefined) {
    await readOwnForm({ request, parts, visit })
    await parts.store.transaction((tx) => endSession(tx, visit, visit.nowMs))
  }
  return redirect(`${paths.signIn}?notice=signed-out`, parts.cookies.clear('session'))
}
