import { redactTokens } from '../lib/redact.ts'
import { membersOf } from '../members/records.ts'
import type { Answer } from '../operation.ts'
import { htmlAnswer } from './answers.ts'
import { type Desk, mayManage } from './desk.ts'
import { readKeyRows } from './key-rows.ts'
import { keysPage } from './pages/keys.ts'
import { memberPage } from './pages/member.ts'
import type { KeyRow, Notice } from './pages/model.ts'

const SEARCH_MAX = 100

export async function listKeys(desk: Desk): Promise<Answer> {
  if (!mayManage(desk.workspace)) return tellWhomToAsk(desk)
  const { request, parts, workspace, chrome, nowMs } = desk
  const search = redactTokens(request.query.get('q') ?? '')
    .trim()
    .slice(0, SEARCH_MAX)
  const all = await parts.store.read((tx) => readKeyRows(tx, workspace.workspaceId, nowMs))
  const wanted = search.toLowerCase()
  const keys = all.filter(({ label }) => label.toLowerCase().includes(wanted))
  const notice = noticeOf(request.query, all)
  return htmlAnswer(200, keysPage({ chrome, keys, total: all.length, search, notice }))
}

/** The address names a key and what was done to it, never words: those could be anybody's. */
function noticeOf(query: URLSearchParams, keys: KeyRow[]): Notice | null {
  const revoked = keys.find(({ id, state }) => id === query.get('revoked') && state.kind === 'revoked')
  return revoked === undefined ? null : { tone: 'good', text: `“${revoked.label}” is revoked: it no longer works.` }
}

async function tellWhomToAsk({ parts, workspace, chrome }: Desk): Promise<Answer> {
  const members = await parts.store.read((tx) => membersOf(tx, workspace.workspaceId))
  const managers = members.filter(mayManage)
  const askWhom = ['owner', 'admin'].flatMap((role) => managers.filter((member) => member.role === role))
  return htmlAnswer(200, memberPage({ chrome, askWhom: askWhom.map(({ email, role }) => ({ email, role })) }))
}
