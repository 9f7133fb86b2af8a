import { foldForSearch } from '../../lib/fold-case.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import { type MemberRecord, memberIdOf, membersOf, type Role } from '../../members/records.ts'
import { isManager, managersAmong, mayManage } from '../../members/roles.ts'
import type { WorkspaceHandler } from '../context.ts'
import { find, type Results, resultsTable } from '../find.ts'
import { type Html, html, isolated } from '../html.ts'
import { icon } from '../layout/icon.ts'
import { type PageFrame, page, peopleToAsk } from '../layout/page.ts'
import { dateTime, relativeTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'

export const showMembers: WorkspaceHandler = async (context) => {
  const { request, store, workspace, frame } = context
  const members = await store.read((tx) => membersOf(tx, workspace.workspaceId))
  if (!isManager(workspace)) return htmlResponse(200, askPage(frame, managersAmong(members)))
  const textOf = ({ email, role }: MemberRecord) => foldForSearch(`${email} ${roleText[role].name}`)
  return htmlResponse(200, membersPage(frame, find(members.toReversed(), textOf, request.query)))
}

export function membersPage(frame: PageFrame, results: Results<MemberRecord>): string {
  const { slug } = frame.workspace
  return page(frame, {
    title: 'Members',
    lead: html`Who can sign in to this workspace, and what they may do. ${ownSignIns(slug)}`,
    actions: html`<a class="button primary" href="${paths.newMember(slug)}">${icon('plus')}Invite</a>`,
    body: resultsTable(results, {
      label: 'Find by address or role',
      href: (typed, page) => paths.members(slug, typed, page),
      caption: 'Members, newest first',
      className: 'members',
      columns: ['Person', 'Role', 'Added', 'Last signed in'],
      rowOf: (member) => memberRow(member, frame),
    }),
  })
}

function memberRow(member: MemberRecord, frame: PageFrame) {
  const { email, role, addedAt } = member
  const id = memberIdOf(member)
  return {
    id,
    head: html`<span class="label">${isolated(email)}${email === frame.email && html` <span class="tag">You</span>`}</span>`,
    cells: [roleText[role].name, dateTime(addedAt, frame), signedInText(member, frame)],
    actions: mayManage(frame.role, role)
      ? html`<a class="quiet" href="${paths.member(frame.workspace.slug, id)}">Manage<span class="visually-hidden"> ${email}</span></a>`
      : '',
  }
}

export const signedInText = ({ signedInAt }: Pick<MemberRecord, 'signedInAt'>, time: LocalTime): Html =>
  signedInAt === null ? html`<span class="faint">Never</span>` : relativeTime(signedInAt, time)

const ownSignIns = (slug: string): Html => html`<a href="${paths.signIns(slug)}">Where you are signed in</a>`

export const roleText: Record<Role, { name: string; article: string; may: string }> = {
  owner: { name: 'Owner', article: 'an owner', may: 'Manages keys, the workspace and all members, including owners.' },
  admin: { name: 'Admin', article: 'an admin', may: 'Manages keys, the workspace and all members except owners.' },
  member: {
    name: 'Member',
    article: 'a member',
    may: 'Can sign in and see the owners and admins. Manages nothing.',
  },
}

function askPage(frame: PageFrame, managers: readonly { email: string; role: Role }[]): string {
  const { slug, name } = frame.workspace
  const lead = html`Owners and admins invite people and change their roles. ${ownSignIns(slug)}`
  const body = html`<section class="panel empty" aria-labelledby="ask"><h2 id="ask">You are a member of ${isolated(name)}</h2>
<p>To invite someone, or to get another role yourself, ask:</p>
${peopleToAsk(managers)}
<p><a class="button" href="${paths.member(slug, memberIdOf(frame), 'remove')}">Leave the workspace</a></p></section>`
  return page(frame, { title: 'Members', lead, body })
}
