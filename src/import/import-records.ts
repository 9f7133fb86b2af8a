import { appendAudit } from '../audit/log.ts'
import type { OperatorStore } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { formatCount } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { type ReadListener, readRecords } from './read-records.ts'

export interface ImportListener extends ReadListener {
  /** Called when all is read and good. What follows is one step, which takes a while if there is much. */
  onStoring(): void
}

/**
 * Brings a file of records into the table of a resource, all of it or nothing. Nothing is locked while the file is read, however
 * slowly it comes; one transaction at the end takes the rows and records the import.
 */
export async function importRecords(
  store: OperatorStore,
  table: Table,
  slug: string,
  chunks: AsyncIterable<Buffer>,
  actor: string,
  clock: () => string,
  listener: ImportListener,
): Promise<{ created: number; replaced: number }> {
  // Asked first: no one should feed a long file in only to be told that its workspace is misspelled.
  await store.read((tx) => workspaceOrThrow(tx, slug))
  const staging = store.stage(table)
  try {
    const badRecords = await readRecords(chunks, table, listener, async (rows) => {
      for (const row of rows) staging.add(row)
      await staging.flush()
    })
    if (badRecords > 0) throw new UserError(`nothing was imported: ${counted(badRecords, 'bad line', 'bad lines')}`)
    listener.onStoring()
    return await store.transaction(async (tx) => {
      const { id: workspaceId } = await workspaceOrThrow(tx, slug)
      const at = clock()
      const counts = await staging.take(tx, workspaceId, at)
      const action = `${table.name}.imported`
      await appendAudit(tx, { at, workspaceId, actor, action, subject: workspaceId, detail: counts })
      return counts
    })
  } finally {
    // What is staged goes away with the connection anyway: a failure here must not hide what came of the import.
    await staging.discard().catch(() => {})
  }
}

/** Such as "1 task" or "1,234 tasks". */
export const counted = (count: number, singular: string, plural: string): string =>
  `${formatCount(count)} ${count === 1 ? singular : plural}`
