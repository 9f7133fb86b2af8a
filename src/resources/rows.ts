import { appendAudit } from '../audit/log.ts'
import { passedSql } from '../database/lists/hidden-rows.ts'
import { countFrom } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { importedColumns, jsonValue, quoted, quotedColumn, type Table } from '../database/table.ts'
import { isoOf } from '../lib/instant.ts'
import { UserError } from '../lib/user-error.ts'
import type { Row } from '../lists/column.ts'
import { type WorkspaceRecord, workspaceOrThrow } from '../workspaces/records.ts'

export type StoredRow = Awaited<ReturnType<typeof findRow>>

/** Yields batches of rows in the same order as the response. */
export async function* listRows(
  tx: Transaction,
  table: Table,
  workspace: WorkspaceRecord,
  { all, limit }: { all: boolean; limit: number },
): AsyncGenerator<StoredRow[]> {
  const { from, params } = await selectionOf(tx, table, workspace.id, all)
  const sql = `SELECT ${fieldsSql(table)} FROM ${from} ORDER BY ${orderSql(tx, table)} LIMIT ?`
  let current = 0
  for await (const batch of tx.batches<Row>(sql, ...params, limit))
    yield batch.map((stored) => {
      const { reason, ...row } = rowIn(tx, table, stored)
      if (reason === undefined) current++
      return { ...row, whyNotListed: reasonNotListed(table, workspace, reason, current) }
    })
}

export async function countRows(tx: Transaction, table: Table, workspaceId: string, all = true): Promise<number> {
  const { from, params } = await selectionOf(tx, table, workspaceId, all)
  return countFrom(tx, from, ...params)
}

export async function findRow(tx: Transaction, table: Table, workspace: WorkspaceRecord, id: string) {
  const { from, params } = await selectionOf(tx, table, workspace.id, true)
  const [stored] = await tx.all<Row>(`SELECT ${fieldsSql(table)} FROM ${from} AND id = ?`, ...params, id)
  if (stored === undefined)
    throw new UserError(
      `no ${table.singular} of ${workspace.slug} has the id ${id}; 'vitrine ${table.singular} list --workspace ${workspace.slug} --all' shows them`,
    )
  const { reason, ...row } = rowIn(tx, table, stored)
  const rank = reason !== undefined || (await isAmongFirst(tx, table, workspace.id, id)) ? 1 : Number.POSITIVE_INFINITY
  return { ...row, whyNotListed: reasonNotListed(table, workspace, reason, rank) }
}

export async function deleteRow(tx: Transaction, table: Table, slug: string, id: string, actor: string) {
  const workspace = await workspaceOrThrow(tx, slug)
  const stored = await findRow(tx, table, workspace, id)
  if ((await tx.readableWorkspaceId(table.name, workspace.id)) !== workspace.id)
    throw new UserError(`the ${table.name} of ${slug} are being changed; try again when the change has finished`)
  await tx.run(`DELETE FROM ${quoted(table.name)} WHERE workspace_id = ? AND id = ?`, workspace.id, id)
  const entry = { workspaceId: workspace.id, actor, subject: id }
  const detail = stored.source === null ? {} : { source: stored.source }
  await appendAudit(tx, { ...entry, action: `${table.name}.deleted`, detail })
  return stored
}

/** All rows of a workspace, or those that are current. */
async function selectionOf(tx: Transaction, { name, listing }: Table, workspaceId: string, all: boolean) {
  const { only = [], hidden } = all ? {} : listing
  const conditions = ['workspace_id = ?', ...only, ...(hidden ? [passedSql(hidden, '?')] : [])]
  const params = [await tx.readableWorkspaceId(name, workspaceId), ...(hidden ? [isoOf(tx.nowMs)] : [])]
  return { from: `${quoted(name)} WHERE ${conditions.join(' AND ')}`, params }
}

/** No field starts with an underscore, so the alias cannot clash. */
const fieldsSql = (table: Table) =>
  [...importedColumns(table).map(({ name, field }) => `${quoted(name)} AS "${field}"`), 'source AS _source'].join(', ')

function rowIn(tx: Transaction, table: Table, { _source = null, ...stored }: Row) {
  const row: Row = {}
  for (const column of importedColumns(table)) row[column.field] = jsonValue(column, stored[column.field] ?? null)
  const reason = table.listing.reasonNotCurrent?.(row, isoOf(tx.nowMs))
  return { row, source: _source === null ? null : String(_source), reason }
}

function orderSql(tx: Transaction, { columns, listing }: Table): string {
  const terms = listing.order.map((field) => {
    const column = quotedColumn(field)
    return `${column} IS NULL, ${tx.sortKey(column, columns[field]?.kind ?? 'text')}`
  })
  return [...terms, 'seq'].join(', ')
}

/** `rank` is the row's 1-based position among the current rows. */
function reasonNotListed(
  { listing }: Table,
  { archivedAt }: WorkspaceRecord,
  reason: string | undefined,
  rank: number,
): string | null {
  if (reason !== undefined) return reason
  if (archivedAt !== null) return 'workspace archived'
  return rank > listing.limit ? `beyond the first ${listing.limit}` : null
}

async function isAmongFirst(tx: Transaction, table: Table, workspaceId: string, id: string): Promise<boolean> {
  const { from, params } = await selectionOf(tx, table, workspaceId, false)
  const sql = `SELECT id FROM ${from} ORDER BY ${orderSql(tx, table)} LIMIT ?`
  return (await tx.all<{ id: string }>(sql, ...params, table.listing.limit)).some((row) => row.id === id)
}
