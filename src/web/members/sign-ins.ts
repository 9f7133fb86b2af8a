import { type Html, html } from '../../lib/html.ts'
import { currentMembership, type SignInWay } from '../../members/sessions.ts'
import { endSignIn, type SignIn, signInsOf } from '../../members/sign-ins.ts'
import type { HttpResponse } from '../../operation.ts'
import type { WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { type Chrome, csrfField, heading, noticeBox, page, person } from '../layout/page.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { momentTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse, pageNotFound, redirect } from '../responses.ts'

export async function showSignIns({
  store,
  session,
  workspace,
  chrome,
  request,
}: WorkspaceContext): Promise<HttpResponse> {
  const signIns = await store.read((tx) => signInsOf(tx, session, workspace.workspaceId))
  return htmlResponse(200, signInsPage({ chrome, signIns, hasEnded: request.query.has('ended') }))
}

export async function endOtherSession(context: WorkspaceContext): Promise<HttpResponse> {
  const { store, session, workspace, chrome } = context
  const form = await readForm(context, chrome.csrf)
  await store.transaction(async (tx) => {
    if ((await currentMembership(tx, session, workspace.workspaceId)) === undefined) throw pageNotFound()
    await endSignIn(tx, session, form.get('id') ?? '')
  })
  return redirect(`${paths.signIns(workspace.slug)}?ended=1`)
}

/** GET …/sign-ins: a person's own. */
export interface SignInsModel {
  chrome: Chrome
  /** Newest first. */
  signIns: SignIn[]
  /** Whether one was just ended. */
  hasEnded: boolean
}

export function signInsPage({ chrome, signIns, hasEnded }: SignInsModel): string {
  const lead = html`Where you are signed in to this workspace, and the sign-ins of the last 7 days. If one of them was not yours, end it and ask an owner.`
  const body = [
    heading({ title: 'Your sign-ins', lead }),
    noticeBox(hasEnded ? { tone: 'good', text: 'It is signed out.' } : null),
    html`<div class="panel">${dataTable({
      caption: 'Your sign-ins, newest first',
      columns: ['When', 'How', 'State'],
      rows: signIns.map((signIn) => signInRow(signIn, chrome)),
    })}</div>`,
  ]
  return page(chrome, { title: 'Your sign-ins', section: null, body })
}

function signInRow({ at, way, active }: SignIn, chrome: Chrome): DataRow {
  const state =
    active === null
      ? html`<span class="faint">Ended</span>`
      : active.isCurrent
        ? html`<span class="tag">This browser</span>`
        : html`Active, last used ${relativeTime(active.seenAt, chrome)}`
  const end =
    active?.mayEnd === true &&
    !active.isCurrent &&
    html`<form method="post" action="${paths.signIns(chrome.workspace.slug)}">${csrfField(chrome)}<input type="hidden" name="id" value="${active.id}"><button class="quiet danger">Sign out<span class="visually-hidden"> the session of ${momentTime(at, chrome)}</span></button></form>`
  return { head: momentTime(at, chrome), cells: [wayText(way), state], actions: end || '' }
}

function wayText(way: SignInWay | null): Html {
  if (way === null) return html`<span class="faint">Not recorded</span>`
  if (way.by === 'oidc') return html`Company account`
  if (way.createdBy === undefined) return html`Link from the operator`
  const [creator = '', ...others] = way.createdBy.split(' ')
  return html`Link that ${person(creator)} created${others.map((other) => html`, signed in by one of ${person(other)}`)}`
}
