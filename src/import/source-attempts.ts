import type { OperatorStore, SqlConnection } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { redactTokens } from '../lib/redact.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { clipped, ensureSource } from './sources.ts'

/** Which source, and how it was tried. */
export interface Attempt {
  /** The workspace's slug. */
  workspace: string
  source: string
  /** For people. */
  location: string
  /** Undefined unless it is repeated. */
  everySeconds?: number | undefined
}

/**
 * Records that a sync failed, and why. One that was done once for a source that does not exist is not recorded: whoever
 * started it was told, and the name may have been misspelt.
 */
export function recordFailure(
  store: OperatorStore,
  { name: table }: Table,
  { workspace, source, location, everySeconds }: Attempt,
  message: string,
  at: string,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, workspace)
    if (everySeconds !== undefined) await ensureSource(tx, id, table, source, at)
    await tx.run(
      `UPDATE sources SET attempted_at = ?, failing_since = coalesce(failing_since, ?), failure = ?, failures = failures + 1,
         location = ?, every_seconds = coalesce(?, every_seconds)
       WHERE workspace_id = ? AND table_name = ? AND name = ?`,
      ...[at, at, oneLine(message), clipped(location), everySeconds ?? null],
      ...[id, table, source],
    )
  })
}

/** A message may repeat what came from outside: it is put on one line of bounded length, without keys. */
export const oneLine = (message: string): string =>
  clipped(redactTokens(message.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')).trim())

/** Records that the snapshot is still the one that was synced last: what is known of that stays. */
export async function recordNotModified(
  tx: SqlConnection,
  workspaceId: string,
  { name: table }: Table,
  { source, location, everySeconds }: Attempt,
  at: string,
): Promise<void> {
  await tx.run(
    `UPDATE sources SET synced_at = ?, attempted_at = ?, failing_since = NULL, failure = NULL, failures = 0, location = ?,
       every_seconds = ?
     WHERE workspace_id = ? AND table_name = ? AND name = ?`,
    ...[at, at, clipped(location), everySeconds ?? null],
    ...[workspaceId, table, source],
  )
}
