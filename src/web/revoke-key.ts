import { Keys } from '../keys/life-cycle.ts'
import { hasEnded } from '../keys/state.ts'
import { UserError } from '../lib/user-error.ts'
import type { Answer } from '../operation.ts'
import { htmlAnswer, redirect } from './answers.ts'
import { asManager, type Desk, mayManage, onlyManagers, readOwnForm } from './desk.ts'
import { readKeyRows } from './key-rows.ts'
import { notThere, PageError } from './page-error.ts'
import type { KeyRow } from './pages/model.ts'
import { revokePage } from './pages/revoke.ts'
import { paths } from './paths.ts'

export async function offerToRevokeKey(desk: Desk): Promise<Answer> {
  const key = await workingKey(desk)
  return htmlAnswer(200, revokePage({ chrome: desk.chrome, key }))
}

export async function revokeKey(desk: Desk): Promise<Answer> {
  if (!mayManage(desk.workspace)) throw onlyManagers()
  await readOwnForm(desk)
  const keys = new Keys(asManager(desk), desk.visit.email, desk.parts.clock)
  await unlessEnded(() => keys.revoke(desk.id))
  return redirect(`${paths.keys(desk.workspace.slug)}?revoked=${encodeURIComponent(desk.id)}`)
}

/** The key that the path names, for a page that offers to change it. */
export async function workingKey({ parts, workspace, id, nowMs }: Desk): Promise<KeyRow> {
  if (!mayManage(workspace)) throw onlyManagers()
  const rows = await parts.store.read((tx) => readKeyRows(tx, workspace.workspaceId, nowMs))
  const key = rows.find((row) => row.id === id)
  if (key === undefined) throw notThere()
  if (hasEnded(key)) throw ended()
  return key
}

/** Somebody may have ended the key while the page was open. */
export async function unlessEnded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UserError ? ended() : error
  }
}

const ended = () =>
  new PageError(409, 'This key has ended already', 'It was revoked or has expired: it no longer works.')
