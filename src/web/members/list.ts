import { type MemberRecord, memberIdOf, membersOf } from '../../members/records.ts'
import { isManager, managersAmong, mayManage } from '../../members/roles.ts'
import type { HttpResponse } from '../../operation.ts'
import type { WorkspaceContext } from '../context.ts'
import type { Notice } from '../layout/layout.ts'
import { htmlResponse } from '../responses.ts'
import { askPage, membersPage, roleText } from './list-page.ts'

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
