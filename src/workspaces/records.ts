import { chainHead } from '../audit/log.ts'
import { columnOf, insertRow, moveRevision } from '../database/statements.ts'
import type { PublicReads, Transaction } from '../database/store.ts'
import { UserError } from '../lib/user-error.ts'
import type { ReadScope } from '../lists/query.ts'

export interface WorkspaceRecord {
  id: string
  slug: string
  name: string
  timezone: string | null
  currencyCode: string | null
  countryCode: string | null
  createdAt: string
  archivedAt: string | null
}

const WORKSPACE_COLUMNS = `
  id, slug, name, timezone, currency_code AS "currencyCode", country_code AS "countryCode",
  created_at AS "createdAt", archived_at AS "archivedAt"`

/** As public requests read it. */
export async function servedWorkspace(store: PublicReads, { workspaceId }: Pick<ReadScope, 'workspaceId'>) {
  const sql = `SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE id = ?`
  return (await store.rows<WorkspaceRecord>('workspace', sql, workspaceId))[0]
}

/** In the order of creation. */
export const listWorkspaces = (tx: Transaction): Promise<WorkspaceRecord[]> =>
  tx.all(`SELECT ${WORKSPACE_COLUMNS} FROM workspaces ORDER BY created_at, id`)

const findBy = (column: 'slug' | 'id') => async (tx: Transaction, value: string) =>
  (await tx.all<WorkspaceRecord>(`SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE ${column} = ?`, value))[0]

export const findWorkspace = findBy('slug')
export const findWorkspaceById = findBy('id')

export async function workspaceOrThrow(tx: Transaction, slug: string): Promise<WorkspaceRecord> {
  const workspace = await findWorkspace(tx, slug)
  if (workspace === undefined)
    throw new UserError(`no workspace has the slug ${slug}; 'vitrine workspace list' shows them`)
  return workspace
}

/** Finds deleted workspaces by id, because their keys and audit log still exist. */
export async function workspaceIdOrThrow(tx: Transaction, slugOrId: string): Promise<string> {
  const workspace = await findWorkspace(tx, slugOrId)
  if (workspace !== undefined) return workspace.id
  const log = await chainHead(tx, slugOrId)
  return log === undefined ? (await workspaceOrThrow(tx, slugOrId)).id : slugOrId
}

/** Undefined unless a deleted workspace with this id has left keys or an audit log. */
export async function deletedWorkspaceId(tx: Transaction, id: string): Promise<string | undefined> {
  if ((await findWorkspace(tx, id)) ?? (await findWorkspaceById(tx, id))) return undefined
  return (await chainHead(tx, id)) === undefined ? undefined : id
}

export async function insertWorkspace(tx: Transaction, workspace: WorkspaceRecord): Promise<void> {
  await insertRow(tx, 'workspaces', { ...workspace })
  await moveRevision(tx, workspace.id)
}

export type WorkspaceChanges = Partial<Pick<WorkspaceRecord, 'name' | 'timezone' | 'currencyCode' | 'countryCode'>>

/** False if another transaction changed the row since it was read. */
export async function updateColumns(tx: Transaction, before: WorkspaceRecord, changes: WorkspaceChanges) {
  const fields = Object.keys(changes) as (keyof WorkspaceChanges)[]
  const each = (text: string) => fields.map((field) => `${columnOf(field)} ${text} ?`)
  const updated = await tx.run(
    `UPDATE workspaces SET ${each('=').join(', ')} WHERE ${['id = ?', ...each('IS NOT DISTINCT FROM')].join(' AND ')}`,
    ...[...fields.map((field) => changes[field] ?? null), before.id, ...fields.map((field) => before[field])],
  )
  if (updated === 1) await moveRevision(tx, before.id)
  return updated === 1
}

/** False if another transaction did it first. */
export async function setArchivedAt(tx: Transaction, workspaceId: string, archivedAt: string | null): Promise<boolean> {
  const state = archivedAt === null ? 'IS NOT NULL' : 'IS NULL'
  const updated = await tx.run(
    `UPDATE workspaces SET archived_at = ? WHERE id = ? AND archived_at ${state}`,
    archivedAt,
    workspaceId,
  )
  if (updated === 1) await moveRevision(tx, workspaceId)
  return updated === 1
}

/** Foreign keys delete the workspace's rows, members, sources and notices. */
export async function deleteWorkspaceRow(tx: Transaction, workspaceId: string): Promise<void> {
  // First, as in writers of lists: they lock the revision before they look for the workspace.
  await moveRevision(tx, workspaceId)
  await tx.run('DELETE FROM workspaces WHERE id = ?', workspaceId)
}
