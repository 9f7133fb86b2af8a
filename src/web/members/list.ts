import { formatCount } from '../../lib/format-count.ts'
import { type Html, html, named } from '../../lib/html.ts'
import { type MemberRecord, memberIdOf, membersOf, type Role } from '../../members/records.ts'
import { isManager, managersAmong, mayManage } from '../../members/roles.ts'
import type { HttpResponse } from '../../operation.ts'
import type { WorkspaceContext } from '../context.ts'
import { icon } from '../layout/icon.ts'
import { type Chrome, heading, type Notice, noticeBox, page, peopleToAsk } from '../layout/page.ts'
import { type DataRow, dataTable } from '../layout/table.ts'
import { type Clock, dateTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'

/** So that a page stays small however many there are. */
const PAGE_SIZE = 50

export async function showMembers(context: WorkspaceContext): Promise<HttpResponse> {
  const { request, store, workspace, chrome, session } = context
  const members = await store.read((tx) => membersOf(tx, workspace.workspaceId))
  if (!isManager(workspace))
    return htmlResponse(200, askPage({ chrome, managers: managersAmong(members), ownId: memberIdOf(session) }))
  const pages = Math.max(1, Math.ceil(members.length / PAGE_SIZE))
  const page = Math.min(pages, Math.max(1, Number.parseInt(request.query.get('page') ?? '1', 10) || 1))
  const shown = members.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((member) => ({
    ...member,
    id: memberIdOf(member),
    isSelf: member.email === session.email,
    isManaged: mayManage(workspace.role, member.role),
  }))
  const notice = noticeOf(request.query, members)
  return htmlResponse(200, membersPage({ chrome, members: shown, total: members.length, page, pages, notice }))
}

/** The address names a member and what was done, never the text: that could be anybody's. */
function noticeOf(query: URLSearchParams, members: readonly MemberRecord[]): Notice | null {
  if (query.has('removed')) return { tone: 'good', text: 'They are no longer a member of this workspace.' }
  const changed = members.find((member) => memberIdOf(member) === query.get('changed'))
  return changed === undefined
    ? null
    : { tone: 'good', text: `${changed.email} is now ${roleText[changed.role].article}.` }
}

export interface ShownMember extends MemberRecord {
  id: string
  /** Whether it is the person who looks. */
  isSelf: boolean
  /** Whether that person may change them. */
  isManaged: boolean
}

/** GET /settings/workspaces/<slug>/members, for an owner or an admin. */
export interface MembersModel {
  chrome: Chrome
  /** Those of this page, in the order in which they were added. */
  members: ShownMember[]
  total: number
  page: number
  pages: number
  notice: Notice | null
}

export function membersPage({ chrome, members, total, page: number, pages, notice }: MembersModel): string {
  const { slug } = chrome.workspace
  const invite = html`<a class="button primary" href="${paths.newMember(slug)}">${icon('plus')}Invite</a>`
  const body = [
    heading({
      title: 'Members',
      lead: html`Who can sign in to this workspace, and what they may do. ${ownSignIns(slug)}`,
      actions: invite,
    }),
    noticeBox(notice),
    html`<div class="panel">${dataTable({
      caption: 'Members, in the order in which they were added',
      className: 'members',
      columns: ['Person', 'Role', 'Added', 'Last signed in'],
      rows: members.map((member) => memberRow(member, chrome)),
    })}</div>`,
    pages > 1 && pager({ slug, total, number, pages }),
  ]
  return page(chrome, { title: 'Members', section: 'members', body })
}

function memberRow(member: ShownMember, chrome: Chrome): DataRow {
  const { id, email, role, addedAt, isSelf, isManaged } = member
  const { slug } = chrome.workspace
  const name = html`${named(email)}${isSelf && html` <span class="tag">You</span>`}`
  return {
    id,
    head: html`<span class="label">${name}</span>`,
    cells: [roleText[role].name, dateTime(addedAt, chrome), signedInText(member, chrome)],
    actions: isManaged
      ? html`<a class="quiet" href="${paths.member(slug, id)}">Manage<span class="visually-hidden"> ${email}</span></a>`
      : '',
  }
}

export const signedInText = ({ signedInAt }: Pick<MemberRecord, 'signedInAt'>, clock: Clock): Html =>
  signedInAt === null ? html`<span class="faint">Never</span>` : relativeTime(signedInAt, clock)

const pager = ({ slug, total, number, pages }: { slug: string; total: number; number: number; pages: number }): Html =>
  html`<nav class="pager" aria-label="Pages of members"><span>${formatCount(total)} members, page ${number} of ${pages}</span>
<span class="buttons">${number > 1 && html`<a class="button" href="${paths.members(slug, number - 1)}">${icon('left')}Before</a>`}${number < pages && html`<a class="button" href="${paths.members(slug, number + 1)}">Next${icon('right')}</a>`}</span></nav>`

const ownSignIns = (slug: string): Html => html`<a href="${paths.signIns(slug)}">Your sign-ins</a>`

/** How roles are called, and what each may do. */
export const roleText: Record<Role, { name: string; article: string; may: string }> = {
  owner: { name: 'Owner', article: 'an owner', may: 'Manages keys, the workspace and all members, owners included.' },
  admin: { name: 'Admin', article: 'an admin', may: 'Manages keys, the workspace and all members except owners.' },
  member: { name: 'Member', article: 'a member', may: 'Can sign in and sees whom to ask. Manages nothing.' },
}

/** The same address for a member: whom to ask, and the way out. */
export interface AskModel {
  chrome: Chrome
  /** Owners first. */
  managers: { email: string; role: Role }[]
  /** Of the person who looks. */
  ownId: string
}

export function askPage({ chrome, managers, ownId }: AskModel): string {
  const { slug, name } = chrome.workspace
  const body = html`${heading({ title: 'Members', lead: html`Owners and admins invite people and change their roles. ${ownSignIns(slug)}` })}
<section class="panel empty" aria-labelledby="ask"><h2 id="ask">You are a member of ${named(name)}</h2>
<p>To invite somebody, or to get another role yourself, ask:</p>
${peopleToAsk(managers)}
<p><a class="button" href="${paths.removeMember(slug, ownId)}">Leave the workspace</a></p></section>`
  return page(chrome, { title: 'Members', section: 'members', body })
}
