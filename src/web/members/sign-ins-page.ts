import { type Html, html } from '../../lib/html.ts'
import type { SignInWay } from '../../members/sessions.ts'
import type { SignIn } from '../../members/sign-ins.ts'
import { type Chrome, csrfField, heading, noticeBox, page } from '../layout/layout.ts'
import { person } from '../layout/person.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { momentTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'

/** GET …/sign-ins: a person's own. */
interface SignInsModel {
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
