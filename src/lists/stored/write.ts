import { StorageError } from '../../database/errors.ts'
import { among, FORGET_CHANGES, moveRevision } from '../../database/statements.ts'
import type { Transaction } from '../../database/store.ts'
import type { Row } from '../column.ts'
import type { List } from '../definition.ts'
import { type Item, itemOf } from '../item.ts'
import { batchesOf, countPlaced, OF_LIST, type OfList, type StoredItem, writeItems } from './items.ts'
import { formerRows, leaveTraces, pruneTraces } from './traces.ts'

/**
 * Writes rows of one list in the caller's transaction; nothing else writes items. The workspace's revision moves once, with the first
 * row that differs. Writers of one workspace take turns.
 */
export class ListWriter {
  readonly #tx: Transaction
  readonly #list: List
  readonly #ofList: OfList
  readonly #storedSeq: number
  #revision: number
  #lastSeq: number
  #isMoved = false

  private constructor(tx: Transaction, list: List, ofList: OfList, revision: number, lastSeq: number) {
    this.#tx = tx
    this.#list = list
    this.#ofList = ofList
    this.#revision = revision
    this.#storedSeq = lastSeq
    this.#lastSeq = lastSeq
  }

  get revision(): number {
    return this.#revision
  }

  static async open(tx: Transaction, list: List, workspaceId: string): Promise<ListWriter> {
    const ofList: OfList = [workspaceId, list.name]
    const revision = await lockRevision(tx, workspaceId)
    await tx.run(
      'INSERT INTO stored_lists (workspace_id, list, shape, last_seq) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING',
      ...[...ofList, list.shape],
    )
    const sql = `SELECT shape, last_seq AS seq FROM stored_lists WHERE ${OF_LIST}`
    const [stored] = await tx.all<{ shape: string; seq: number }>(sql, ...ofList)
    if (stored?.shape !== list.shape)
      throw new StorageError(`the definition of ${list.name} was changed meanwhile; try again`)
    return new ListWriter(tx, list, ofList, revision, stored?.seq ?? 0)
  }

  /** New rows that were checked, in the order of their creation. */
  create(rows: readonly Row[]): Promise<void> {
    const seq = this.newSeqs(rows.length)
    return this.write(
      rows.map((row, i) => ({ ...itemOf(this.#list, row), id: String(row.id), source: null, seq: seq + i })),
    )
  }

  /** Places after all others in the order of creation. Returns the first. */
  newSeqs(count: number): number {
    this.#lastSeq += count
    return this.#lastSeq - count + 1
  }

  /** Items that differ from what is stored, each id once, and the ids of those to delete. */
  async write(items: Iterable<Omit<StoredItem, 'revision'>>, gone: readonly string[] = []): Promise<void> {
    for (const batch of batchesOf(gone)) {
      await this.#moveRevision()
      await this.#leaveTraces(batch, new Map())
      const sql = `DELETE FROM list_items WHERE ${OF_LIST} AND id ${among(batch)}`
      await this.#tx.run(sql, ...this.#ofList, ...batch)
    }
    for (const batch of batchesOf(items)) {
      await this.#moveRevision()
      const stored = batch.filter(({ seq }) => seq <= this.#storedSeq)
      const ids = stored.map(({ id }) => id)
      if (ids.length > 0) await this.#leaveTraces(ids, new Map(stored.map((item) => [item.id, item])))
      const revised = batch.map((item) => ({ ...item, revision: this.#revision }))
      await writeItems(this.#tx, this.#ofList, revised)
    }
    await this.#tx.run(`UPDATE stored_lists SET last_seq = ? WHERE ${OF_LIST}`, this.#lastSeq, ...this.#ofList)
    await countPlaced(this.#tx, this.#ofList)
    await pruneTraces(this.#tx, this.#ofList)
  }

  /** Before the rows with these ids are written. */
  async #leaveTraces(ids: readonly string[], after: ReadonlyMap<string, Item>): Promise<void> {
    const former = await formerRows(this.#tx, this.#ofList, ids)
    await leaveTraces(this.#tx, this.#list, this.#ofList, this.#revision, { former, after })
  }

  async #moveRevision(): Promise<void> {
    if (!this.#isMoved) this.#revision = await moveRevision(this.#tx, this.#ofList[0])
    this.#isMoved = true
  }
}

async function lockRevision(tx: Transaction, workspaceId: string): Promise<number> {
  const sql = 'UPDATE revisions SET number = number WHERE workspace_id = ? RETURNING number'
  const [row] = await tx.all<{ number: number }>(sql, workspaceId)
  if (row === undefined) throw new Error('a list is written for a workspace that does not exist')
  return row.number
}

/** Deletes the rows of a list in all workspaces. */
export async function deleteList(tx: Transaction, name: string): Promise<void> {
  const workspaces = 'SELECT workspace_id AS id FROM stored_lists WHERE list = ? ORDER BY 1'
  // First, as every writer locks revisions before rows.
  for (const { id } of await tx.all<{ id: string }>(workspaces, name)) await moveRevision(tx, id)
  await tx.run(`${FORGET_CHANGES} WHERE workspace_id IN (SELECT workspace_id FROM stored_lists WHERE list = ?)`, name)
  for (const table of ['list_items', 'list_traces', 'stored_lists'])
    await tx.run(`DELETE FROM ${table} WHERE list = ?`, name)
}
