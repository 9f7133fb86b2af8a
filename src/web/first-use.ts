import { findFirstUse } from '../keys/history.ts'
import { findKey } from '../keys/records.ts'
import type { Answer } from '../operation.ts'
import { jsonAnswer } from './answers.ts'
import { type Desk, mayManage, onlyManagers } from './desk.ts'
import { notThere } from './page-error.ts'

/** What the page that has just shown a key waits for. */
export async function firstUse({ parts, workspace, id }: Desk): Promise<Answer> {
  if (!mayManage(workspace)) throw onlyManagers()
  const found = await parts.store.read(async (tx) => {
    if ((await findKey(tx, id))?.workspaceId !== workspace.workspaceId) throw notThere()
    return findFirstUse(tx, id)
  })
  return jsonAnswer({ firstUse: found ?? null })
}
