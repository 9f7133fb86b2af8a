import { breakable, type Html, html } from '../../lib/html.ts'
import { currentMembership, type SignInMethod } from '../../members/sessions.ts'
import { endSignIn, type SignIn, signInsOf } from '../../members/sign-ins.ts'
import type { WorkspaceHandler } from '../context.ts'
import { csrfField } from '../layout/field.ts'
import { heading, type Notice, noticeBox, type PageFrame, page } from '../layout/page.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { momentTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse, pageNotFound, redirect } from '../responses.ts'

const notices = new Map<string | null, Notice>([
  ['1', { tone: 'good', text: 'That session is signed out.' }],
  [
    '0',
    { tone: 'neutral', text: 'Nothing was signed out: that session had already ended, or cannot be ended from here.' },
  ],
])

export const showSignIns: WorkspaceHandler = async (context) => {
  const { store, session, workspace, frame, request } = context
  const signIns = await store.read((tx) => signInsOf(tx, session, workspace.workspaceId))
  return htmlResponse(200, signInsPage(frame, signIns, notices.get(request.query.get('ended')) ?? null))
}

export const endOtherSession: WorkspaceHandler = async (context, form) => {
  const { store, session, workspace } = context
  const hasEnded = await store.transaction(async (tx) => {
    if ((await currentMembership(tx, session, workspace.workspaceId)) === undefined) throw pageNotFound()
    return endSignIn(tx, session, form.get('id') ?? '')
  })
  return redirect(`${paths.signIns(workspace.slug)}?ended=${hasEnded ? 1 : 0}`)
}

export function signInsPage(frame: PageFrame, signIns: readonly SignIn[], notice: Notice | null): string {
  const lead =
    'Where you are signed in to this workspace, and your sign-ins of the last 7 days. If you do not recognise one, sign it out and tell an owner.'
  const body = [
    heading({ title: 'Your sign-ins', lead }),
    noticeBox(notice),
    html`<div class="panel">${dataTable({
      caption: 'Your sign-ins, newest first',
      columns: ['When', 'How', 'State'],
      rows: signIns.map((signIn) => signInRow(signIn, frame)),
    })}</div>`,
  ]
  return page(frame, { title: 'Your sign-ins', section: null, body })
}

function signInRow({ at, way, active }: SignIn, frame: PageFrame): DataRow {
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
  return { head: momentTime(at, frame), cells: [wayText(way), state], actions: end || '' }
}

function wayText(way: SignInMethod | null): Html {
  if (way === null) return html`<span class="faint">Not recorded</span>`
  if (way.by === 'oidc') return html`Company account`
  if (way.createdBy === undefined) return html`Link from the operator`
  const [creator = '', ...others] = way.createdBy.split(' ')
  return html`Link created by ${breakable(creator)}${others.map((other) => html`, who signed in with a link from ${breakable(other)}`)}`
}
