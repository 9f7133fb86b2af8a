import { eraseEntries, eraseHead } from '../audit/log.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { BATCH_ROWS, deleteBatchSql, KEY_RECORDS } from '../keys/purge.ts'

const OF_KEYS = 'key_id IN (SELECT id FROM api_keys WHERE workspace_id = ?)'

/** Belong to people who are no longer members of any workspace. */
const OF_PEOPLE: readonly [table: string, email: string][] = [
  ['sessions', 'email'],
  ['passkeys', 'email'],
  ['tickets', 'subject'],
]

/**
 * Erases what a deleted workspace leaves behind: its keys with all records of their use, its audit log, and the sign-ins of people
 * who are not members of any workspace any more. If it is interrupted, it can be repeated.
 */
export async function eraseWorkspace(store: OperatorStore, workspaceId: string): Promise<void> {
  // The deletion may have been interrupted before its large tables were emptied.
  await store.tidy(workspaceId)
  for (const records of Object.entries(KEY_RECORDS))
    await inBatches(store, (tx) => tx.run(deleteBatchSql(records, OF_KEYS), workspaceId))
  await inBatches(store, (tx) => eraseEntries(tx, workspaceId, BATCH_ROWS))
  await store.transaction(async (tx) => {
    // A running server may have recorded more meanwhile.
    for (const table of Object.keys(KEY_RECORDS)) await tx.run(`DELETE FROM ${table} WHERE ${OF_KEYS}`, workspaceId)
    for (const table of ['api_keys', 'sessions'])
      await tx.run(`DELETE FROM ${table} WHERE workspace_id = ?`, workspaceId)
    for (const [table, email] of OF_PEOPLE)
      await tx.run(`DELETE FROM ${table} WHERE ${email} <> '' AND ${email} NOT IN (SELECT email FROM members)`)
  })
  await store.compact()
  // Last, because the command finds a deleted workspace by the head of its chain, which contains no personal data.
  await store.transaction(async (tx) => {
    await tx.run('DELETE FROM revisions WHERE workspace_id = ?', workspaceId)
    await eraseHead(tx, workspaceId)
  })
}

/** In one transaction after the other, so that other writers wait only milliseconds. `remove` removes at most BATCH_ROWS. */
export async function inBatches(store: OperatorStore, remove: (tx: Transaction) => Promise<number>): Promise<void> {
  while ((await store.transaction(remove)) === BATCH_ROWS);
}
