import { mayManagePasskeys, passkeysOf } from '../../members/passkeys.ts'
import { currentMembership, type SignInMethod } from '../../members/sessions.ts'
import { endSignIn, type SignIn, signInsOf } from '../../members/sign-ins.ts'
import type { WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { breakable, type Html, html, inQuotes, type Part } from '../html.ts'
import { csrfField } from '../layout/field.ts'
import { type PageFrame, page } from '../layout/page.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { momentTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse, pageNotFound, redirect } from '../responses.ts'
import { passkeysPart } from './passkeys.ts'

export const showSignIns: WorkspaceHandler = async (context) => {
  const { store, session, workspace, frame, request, config } = context
  const mayManage = mayManagePasskeys(session)
  const { signIns, passkeys } = await store.read(async (tx) => ({
    signIns: await signInsOf(tx, session, workspace.workspaceId),
    passkeys: config.passkeys === undefined || !mayManage ? [] : await passkeysOf(tx, session.email),
  }))
  const isOffer = request.query.get('offer') === 'passkey'
  if (isOffer && (!mayManage || passkeys.length > 0)) return redirect(paths.overview(workspace.slug))
  const isHttps = config.publicUrl.startsWith('https:')
  const needsHttps = !isHttps && html`<p class="hint bounds">Passkeys need a public https address.</p>`
  const part = config.passkeys === undefined ? needsHttps : passkeysPart({ frame, passkeys, mayManage, isOffer })
  return htmlResponse(200, signInsPage(frame, signIns, part))
}

export const endOtherSession: WorkspaceHandler = async (context, form) => {
  const { store, session, workspace } = context
  const hasEnded = await store.transaction(async (tx) => {
    if ((await currentMembership(tx, session, workspace.workspaceId)) === undefined) throw pageNotFound()
    return endSignIn(tx, session, form.get('id') ?? '')
  })
  return redirectWithNotice(context, paths.signIns(workspace.slug), hasEnded ? 'session-ended' : 'session-not-ended')
}

/** `passkeys` is false if the service does not offer them. */
export function signInsPage(frame: PageFrame, signIns: readonly SignIn[], passkeys: Part) {
  const lead =
    'Where you are signed in to this workspace, and your sign-ins of the last 7 days. If you do not recognise one, sign it out and tell an owner.'
  const body = [
    passkeys,
    html`<div class="panel">${dataTable({
      caption: 'Your sign-ins, newest first',
      columns: ['When', 'How', 'State'],
      rows: signIns.map((signIn) => signInRow(signIn, frame)),
    })}</div>`,
  ]
  return page(frame, { title: 'Your sign-ins', lead, body })
}

function signInRow({ at, method, active }: SignIn, frame: PageFrame): DataRow {
  const state =
    active === null
      ? html`<span class="faint">Ended</span>`
      : active.isCurrent
        ? html`<span class="tag">This browser</span>`
        : html`Active, last used ${relativeTime(active.seenAt, frame)}`
  const end =
    active?.mayEnd === true &&
    !active.isCurrent &&
    html`<form method="post" action="${paths.signIns(frame.workspace.slug)}">${csrfField(frame)}<input type="hidden" name="id" value="${active.id}"><button class="quiet danger">Sign out<span class="visually-hidden"> the session of ${momentTime(at, frame)}</span></button></form>`
  return { head: momentTime(at, frame), cells: [html`<span>${methodText(method)}</span>`, state], actions: end || '' }
}

function methodText(method: SignInMethod | null): Html {
  if (method === null) return html`<span class="faint">Not recorded</span>`
  if (method.by === 'oidc') return html`Company account`
  if (method.by === 'mail') return html`Link by mail`
  if (method.by === 'passkey') return html`Passkey ${inQuotes(method.passkey)}`
  if (method.createdBy === undefined) return html`Link from the operator`
  const [creator = '', ...others] = method.createdBy.split(' ')
  return html`Link created by ${breakable(creator)}${others.map((other) => html`, who signed in with a link from ${breakable(other)}`)}`
}
