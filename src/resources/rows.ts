import { appendAudit } from '../audit/log.ts'
import { countFrom } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { UserError } from '../lib/user-error.ts'
import type { List } from '../lists/definition.ts'
import { OF_LIST } from '../lists/stored/items.ts'
import { type OperatorRow, orderedIds, readOperatorRows } from '../lists/stored/operator-rows.ts'
import { ListWriter } from '../lists/stored/write.ts'
import { type WorkspaceRecord, workspaceOrThrow } from '../workspaces/records.ts'

/** A row as operators see it. */
export interface ShownRow extends Pick<OperatorRow, 'row' | 'source'> {
  /** Null if the response has it. */
  whyNotListed: string | null
}

/** Rows in the order of the response, a few at a time, and how many there are without the limit. */
export async function listRows(
  tx: Transaction,
  list: List,
  workspace: WorkspaceRecord,
  { all, limit }: { all: boolean; limit: number },
) {
  const scope = { workspaceId: workspace.id, now: tx.nowMs }
  const ids = await orderedIds(tx, list, scope, { all })
  async function* shownRows(): AsyncGenerator<ShownRow[]> {
    let current = 0
    for await (const rows of readOperatorRows(tx, list, scope, ids.slice(0, limit)))
      yield rows.map(({ row, source, reason }) => {
        if (reason === undefined) current++
        return { row, source, whyNotListed: reasonNotListed(list, workspace, reason, current) }
      })
  }
  return { count: ids.length, rows: shownRows() }
}

/** All rows of a workspace, current or not. */
export const countRows = (tx: Transaction, { name }: Pick<List, 'name'>, workspaceId: string): Promise<number> =>
  countFrom(tx, `list_items WHERE ${OF_LIST}`, workspaceId, name)

export async function findRow(tx: Transaction, list: List, workspace: WorkspaceRecord, id: string): Promise<ShownRow> {
  const scope = { workspaceId: workspace.id, now: tx.nowMs }
  const [[found] = []] = await Array.fromAsync(readOperatorRows(tx, list, scope, [id]))
  if (found === undefined)
    throw new UserError(
      `no ${list.singular} of ${workspace.slug} has the id ${id}; 'vitrine ${list.singular} list --workspace ${workspace.slug} --all' shows them`,
    )
  const { row, source, reason } = found
  const rank = reason === undefined ? (await orderedIds(tx, list, scope, { all: false })).indexOf(id) + 1 : 0
  return { row, source, whyNotListed: reasonNotListed(list, workspace, reason, rank) }
}

export async function deleteRow(tx: Transaction, list: List, slug: string, id: string, actor: string) {
  const workspace = await workspaceOrThrow(tx, slug)
  const writer = await ListWriter.open(tx, list, workspace.id)
  const found = await findRow(tx, list, workspace, id)
  await writer.write([], [id])
  const entry = { workspaceId: workspace.id, actor, subject: id }
  const detail = found.source === null ? {} : { source: found.source }
  await appendAudit(tx, { ...entry, action: `${list.name}.deleted`, detail })
  return found
}

/** `rank` is the row's 1-based position among the current rows. */
function reasonNotListed(
  { limit }: List,
  { archivedAt }: WorkspaceRecord,
  reason: string | undefined,
  rank: number,
): string | null {
  if (reason !== undefined) return reason
  if (archivedAt !== null) return 'workspace archived'
  return rank > limit ? `beyond the first ${limit}` : null
}
