import { appendAudit } from '../../audit/log.ts'
import type { Transaction } from '../../database/store.ts'
import { type DeclaredResource, rememberedResources } from '../../database/tables/declared-lists.ts'
import { isoOf } from '../../lib/instant.ts'
import { UserError } from '../../lib/user-error.ts'
import { deleteList } from '../../lists/stored/write.ts'

/** The end of a published resource: announced by LIFECYCLE, recorded by `vitrine migrate`, and dropped by `vitrine resource drop`. */

/** From LIFECYCLE: by path, in milliseconds. */
type Announced = ReadonlyMap<string, { sunset: number | undefined }>

/** A sunset that has passed stays, because LIFECYCLE cannot name it any more. Without an announcement, a later one is withdrawn. */
export const sunsetChanges = (remembered: readonly DeclaredResource[], lifecycle: Announced, nowMs: number) =>
  remembered.flatMap(({ name, sunset: before }): { resource: string; sunset: string | null }[] => {
    const announced = lifecycle.get(`/${name}`)?.sunset
    const isPast = before !== null && Date.parse(before) <= nowMs
    const sunset = announced === undefined ? (isPast ? before : null) : isoOf(announced)
    return sunset === before ? [] : [{ resource: name, sunset }]
  })

export async function recordSunsets(tx: Transaction, lifecycle: Announced) {
  const changes = sunsetChanges(await rememberedResources(tx), lifecycle, tx.nowMs)
  for (const { resource, sunset } of changes) await setSunset(tx, resource, sunset)
  return changes
}

export const setSunset = (tx: Transaction, name: string, sunset: string | null) =>
  tx.run('UPDATE declared_resources SET sunset = ? WHERE name = ?', sunset, name)

export type Dropped = ReturnType<typeof droppedOf>

interface RowsOfWorkspace {
  workspaceId: string
  rows: number
}

/** Opening the store has already refused a published resource whose sunset has not passed. */
export async function rowsToDrop(tx: Transaction, name: string, declared: readonly string[]) {
  if (!(await rememberedResources(tx)).some((remembered) => remembered.name === name))
    throw new UserError(`the database has no declared resource '${name}'`)
  if (declared.includes(name))
    throw new UserError(`RESOURCES still declares ${name}; remove its file from the folder of every server first`)
  const rows = await tx.all<RowsOfWorkspace>(
    'SELECT workspace_id AS "workspaceId", count(*) AS rows FROM list_items WHERE list = ? GROUP BY workspace_id',
    name,
  )
  return rows.sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1))
}

export function droppedOf(resource: string, found: readonly RowsOfWorkspace[]) {
  const rows = found.reduce((sum, { rows: count }) => sum + count, 0)
  return { resource, rows, workspaces: found.length }
}

export async function dropResource(tx: Transaction, name: string, declared: readonly string[], actor: string) {
  const rows = await rowsToDrop(tx, name, declared)
  await deleteList(tx, name)
  await tx.run('DELETE FROM sources WHERE list = ?', name)
  await tx.run('DELETE FROM declared_resources WHERE name = ?', name)
  const entry = { actor, action: 'resource.dropped', subject: name }
  for (const { workspaceId, rows: count } of rows)
    await appendAudit(tx, { ...entry, workspaceId, detail: { rows: count } })
  return droppedOf(name, rows)
}
