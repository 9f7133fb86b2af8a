import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, SqlValue, Transaction } from '../database/store.ts'
import {
  importedColumns,
  jsonValue,
  quoted,
  quotedColumn,
  type Row,
  type Table,
  withParameters,
} from '../database/table.ts'
import { UserError } from '../lib/user-error.ts'
import { type WorkspaceRecord, workspaceOrThrow } from './workspace/records.ts'

export interface StoredRow {
  row: Row
  source: string | null
  whyNotAnswered: string | null
}

interface ListOptions {
  all: boolean
  limit: number
}

/** Yields pages of rows in the same order as the response. */
export async function* listRows(
  tx: Transaction,
  table: Table,
  workspace: WorkspaceRecord,
  { all, limit }: ListOptions,
): AsyncGenerator<StoredRow[]> {
  const now = new Date(tx.nowMs).toISOString()
  const { condition, params } = await conditionFor(tx, table, workspace.id, all)
  const pages = tx.pages<Row>(
    `SELECT ${fieldsSql(table)} FROM ${quoted(table.name)} WHERE ${condition} ORDER BY ${orderSql(tx, table)} LIMIT ?`,
    ...[...params, limit],
  )
  let current = 0
  for await (const page of pages)
    yield page.map((stored) => {
      const { source, row } = rowIn(table, stored)
      const whyNot = whyNotCurrent(table, row, now)
      if (whyNot === undefined) current++
      return { row, source, whyNotAnswered: whyNotAnswered(table, workspace, whyNot, current) }
    })
}

export async function countRows(tx: Transaction, table: Table, workspaceId: string, all = true): Promise<number> {
  const { condition, params } = await conditionFor(tx, table, workspaceId, all)
  const [counted] = await tx.all<{ n: number }>(
    `SELECT count(*) AS n FROM ${quoted(table.name)} WHERE ${condition}`,
    ...params,
  )
  return counted?.n ?? 0
}

export async function findRow(
  tx: Transaction,
  table: Table,
  workspace: WorkspaceRecord,
  id: string,
): Promise<StoredRow> {
  const [stored] = await tx.all<Row>(
    `SELECT ${fieldsSql(table)} FROM ${quoted(table.name)} WHERE workspace_id = ? AND id = ?`,
    ...[await tx.rowsOf(table.name, workspace.id), id],
  )
  if (stored === undefined)
    throw new UserError(
      `no ${table.singular} of ${workspace.slug} has the id ${id}; 'vitrine ${table.singular} list --workspace ${workspace.slug} --all' shows them`,
    )
  const { source, row } = rowIn(table, stored)
  const whyNot = whyNotCurrent(table, row, new Date(tx.nowMs).toISOString())
  const place = whyNot !== undefined || (await isAmongFirst(tx, table, workspace.id, id)) ? 1 : Number.POSITIVE_INFINITY
  return { row, source, whyNotAnswered: whyNotAnswered(table, workspace, whyNot, place) }
}

export function deleteRow(
  store: OperatorStore,
  table: Table,
  slug: string,
  id: string,
  actor: string,
): Promise<StoredRow> {
  return store.transaction(async (tx) => {
    const workspace = await workspaceOrThrow(tx, slug)
    const found = await findRow(tx, table, workspace, id)
    if ((await tx.rowsOf(table.name, workspace.id)) !== workspace.id)
      throw new UserError(`the ${table.name} of ${slug} are being changed; try again when the change has finished`)
    await tx.run(`DELETE FROM ${quoted(table.name)} WHERE workspace_id = ? AND id = ?`, workspace.id, id)
    const entry = { at: new Date(tx.nowMs).toISOString(), workspaceId: workspace.id, actor, subject: id }
    const detail = found.source === null ? {} : { source: found.source }
    await appendAudit(tx, { ...entry, action: `${table.name}.deleted`, detail })
    return found
  })
}

async function conditionFor(
  tx: Transaction,
  { name, listing }: Table,
  workspaceId: string,
  all: boolean,
): Promise<{ condition: string; params: SqlValue[] }> {
  const rowsOf = await tx.rowsOf(name, workspaceId)
  const current = all ? undefined : listing?.current?.sql
  if (current === undefined) return { condition: 'workspace_id = ?', params: [rowsOf] }
  const now = new Date(tx.nowMs).toISOString()
  const params: SqlValue[] = [rowsOf]
  withParameters(current, () => {
    params.push(now)
    return '?'
  })
  return { condition: `workspace_id = ? AND ${current}`, params }
}

/** No field starts with an underscore, so the alias cannot clash. */
const fieldsSql = (table: Table) =>
  [...importedColumns(table).map(({ name, field }) => `${quoted(name)} AS "${field}"`), 'source AS _source'].join(', ')

function rowIn(table: Table, { _source = null, ...stored }: Row): { source: string | null; row: Row } {
  const row: Row = {}
  for (const column of importedColumns(table)) row[column.field] = jsonValue(column, stored[column.field] ?? null)
  return { source: _source === null ? null : String(_source), row }
}

function orderSql(tx: Transaction, { columns, listing }: Table): string {
  const terms = (listing?.order ?? []).map((field) => {
    const column = quotedColumn(field)
    return `${column} IS NULL, ${tx.sortKey(column, columns[field]?.kind ?? 'text')}`
  })
  return [...terms, 'seq'].join(', ')
}

const whyNotCurrent = ({ listing }: Table, row: Row, now: string) => listing?.current?.whyNot(row, now)

/** `place` is the row's 1-based rank among the current rows. */
function whyNotAnswered(
  { listing }: Table,
  { archivedAt }: WorkspaceRecord,
  whyNot: string | undefined,
  place: number,
): string | null {
  if (whyNot !== undefined) return whyNot
  if (archivedAt !== null) return 'workspace archived'
  return listing !== undefined && place > listing.limit ? `beyond the first ${listing.limit}` : null
}

async function isAmongFirst(tx: Transaction, table: Table, workspaceId: string, id: string): Promise<boolean> {
  const { listing } = table
  if (listing === undefined) return true
  const { condition, params } = await conditionFor(tx, table, workspaceId, false)
  const first = await tx.all<{ id: string }>(
    `SELECT id FROM ${quoted(table.name)} WHERE ${condition} ORDER BY ${orderSql(tx, table)} LIMIT ?`,
    ...[...params, listing.limit],
  )
  return first.some((row) => row.id === id)
}
