import type { DatabaseSync } from 'node:sqlite'
import type { MarkWoken } from '../waking.ts'
import { writeNowOrNever } from './write-now.ts'

export function wokenMarker(db: DatabaseSync): MarkWoken {
  const mark = db.prepare(`
    UPDATE tasks SET woken = 1 WHERE seq IN (
      SELECT seq FROM tasks INDEXED BY tasks_snoozed
      WHERE workspace_id = ? AND status = 'open' AND snoozed_until IS NOT NULL AND woken = 0 AND snoozed_until <= ?
      LIMIT ?)`)
  return async (workspaceId, by, atMost) => {
    let marked = 0
    const isWritten = writeNowOrNever(db, () => {
      marked = Number(mark.run(workspaceId, new Date(by).toISOString(), atMost).changes)
    })
    return isWritten ? marked : undefined
  }
}
