import { type KeyOverview, listKeyOverviews } from '../../keys/overview.ts'
import { redactTokens } from '../../lib/redact.ts'
import { membersOf } from '../../members/records.ts'
import { isManager, managerRoles } from '../../members/roles.ts'
import type { Answer } from '../../operation.ts'
import { htmlAnswer } from '../answers.ts'
import type { WorkspaceContext } from '../context.ts'
import type { Notice } from '../layout/layout.ts'
import { memberPage } from './ask-page.ts'
import { keysPage } from './list-page.ts'

const SEARCH_MAX = 100

export async function listKeys(context: WorkspaceContext): Promise<Answer> {
  if (!isManager(context.workspace)) return showManagers(context)
  const { request, store, workspace, chrome, nowMs } = context
  const { timezone } = chrome
  const search = redactTokens(request.query.get('q') ?? '')
    .trim()
    .slice(0, SEARCH_MAX)
  const all = await store.read((tx) => listKeyOverviews(tx, workspace.workspaceId, { nowMs, timezone }))
  const wanted = search.toLowerCase()
  const keys = all.filter(({ label }) => label.toLowerCase().includes(wanted))
  return htmlAnswer(200, keysPage({ chrome, keys, total: all.length, search, notice: noticeOf(request.query, all) }))
}

/** The address names a key and what was done to it, never the text: that could be anybody's. */
function noticeOf(query: URLSearchParams, keys: KeyOverview[]): Notice | null {
  const revoked = keys.find(({ id, state }) => id === query.get('revoked') && state.kind === 'revoked')
  return revoked === undefined
    ? null
    : { tone: 'good', text: `“${revoked.label}” has been revoked: it no longer works.` }
}

/** For a member, who may not see keys: whom to ask. */
export async function showManagers({ store, workspace, chrome }: WorkspaceContext, status = 200): Promise<Answer> {
  const members = await store.read((tx) => membersOf(tx, workspace.workspaceId))
  const managers = managerRoles.flatMap((role) => members.filter((member) => member.role === role))
  return htmlAnswer(status, memberPage({ chrome, managers: managers.map(({ email, role }) => ({ email, role })) }))
}
