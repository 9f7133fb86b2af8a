import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlConnection } from '../../database/store.ts'
import { inTemporaryDatabase, openTemporaryDatabase } from '../../database/temporary-database.ts'
import type { Row } from '../column.ts'
import type { List } from '../definition.ts'
import { type Item, itemOf } from '../item.ts'
import { byteKey } from '../sort-key.ts'
import {
  createdAt,
  creationOf,
  isFilled,
  optionalFields,
  RowComparison,
  type RowDifference,
  type SourceScope,
  type StagedContent,
} from './comparison.ts'
import { allRows, OF_LIST, type OfList } from './items.ts'
import { ListWriter } from './write.ts'

/** Error messages show this many ids, and count the rest. */
const SAMPLE_SIZE = 3

const CONTENT = ['creation', 'sort_key', 'shown_from', 'words', 'body', 'rest']

interface Compared {
  scope: SourceScope
  revision: number
  comparison: RowComparison
  difference: RowDifference
}

/** `rows` of the `all` that differ are written. */
export type WrittenListener = (rows: number, all: number) => void

/** Staged rows and what they change, in the transaction that may write them. */
export interface Changes {
  difference: RowDifference
  /** New rows are ordered by creation time, those without one last. Existing rows keep their place and creation time. */
  write(onWritten?: WrittenListener): Promise<void>
}

/**
 * Holds rows outside the database, without a lock, until one transaction writes what differs. They are compared before, so that the
 * transaction only needs to compare them again if the workspace has changed meanwhile.
 */
export class StagedItems implements Disposable {
  readonly #list: List
  readonly #creation: string | undefined
  readonly #now: string
  readonly #db: DatabaseSync
  readonly #insert: StatementSync
  /** Optional fields that no staged row has so far. */
  #missing: string[]
  #added = 0
  #last: Compared | undefined

  /** Rows whose records leave out when they were created are created `now`. */
  constructor(list: List, now: string) {
    this.#list = list
    this.#creation = creationOf(list)
    this.#now = now
    this.#missing = optionalFields(list)
    this.#db = openTemporaryDatabase()
    this.#db.exec(
      `CREATE TABLE staged (position INTEGER PRIMARY KEY, id TEXT UNIQUE, is_repeated, ${CONTENT.join(', ')})`,
    )
    // An id that is staged twice keeps its first position and its last content.
    this.#insert = this.#db.prepare(
      `INSERT INTO staged (id, ${CONTENT.join(', ')}) VALUES (?, ${CONTENT.map(() => '?').join(', ')})
       ON CONFLICT (id) DO UPDATE SET is_repeated = 1, ${CONTENT.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    )
  }

  /** Rows that were checked. One with `deleted` set marks a stored row for deletion. */
  add(rows: readonly Row[]): void {
    inTemporaryDatabase(() => {
      for (const row of rows) this.#addRow(row)
    })
    this.#added += rows.length
  }

  #addRow(row: Row): void {
    const id = String(row.id)
    if (row.deleted) {
      this.#insert.run(id, null, null, null, null, null, null)
      return
    }
    this.#missing = this.#missing.filter((name) => !isFilled(row[name]))
    const creation = this.#creation === undefined ? null : ((row[this.#creation] as string | null | undefined) ?? null)
    const given = this.#creation === undefined || creation !== null ? row : { ...row, [this.#creation]: this.#now }
    const { sortKey, shownFrom, words, body, rest } = itemOf(this.#list, given)
    this.#insert.run(id, creation, sortKey, shownFrom, words, body, rest)
  }

  /** All statements must see the same moment. Takes no lock. */
  async compare(connection: Pick<SqlConnection, 'all'>, scope: SourceScope): Promise<RowDifference> {
    const sql = 'SELECT number FROM revisions WHERE workspace_id = ?'
    const [row] = await connection.all<{ number: number | string }>(sql, scope.workspaceId)
    return (await this.#compared(connection, scope, Number(row?.number ?? 0))).difference
  }

  /** Other writers of the workspace wait until the transaction ends. */
  async begin(tx: SqlConnection, scope: SourceScope): Promise<Changes> {
    const writer = await ListWriter.open(tx, this.#list, scope.workspaceId)
    const { comparison, difference } = await this.#compared(tx, scope, writer.revision)
    return {
      difference,
      write: (onWritten) => this.#write(writer, comparison, scope.source, onWritten),
    }
  }

  /** Every writer moves the revision, so a comparison is right until it does. */
  async #compared(connection: Pick<SqlConnection, 'all'>, scope: SourceScope, revision: number): Promise<Compared> {
    const last = this.#last
    const isSame = last?.scope.workspaceId === scope.workspaceId && last.scope.source === scope.source
    if (isSame && last.revision === revision) return last
    const comparison = await this.#compareRows(connection, scope)
    const difference = comparison.difference(inTemporaryDatabase(() => this.#repeated()))
    this.#last = { scope, revision, comparison, difference }
    return this.#last
  }

  /** Both are read in the order of their ids. */
  async #compareRows(
    connection: Pick<SqlConnection, 'all'>,
    { workspaceId, source }: SourceScope,
  ): Promise<RowComparison> {
    const ofList: OfList = [workspaceId, this.#list.name]
    const [stored] = await connection.all<{ shape: string }>(
      `SELECT shape FROM stored_lists WHERE ${OF_LIST}`,
      ...ofList,
    )
    const hasShape = stored === undefined || stored.shape === this.#list.shape
    const comparison = new RowComparison(this.#list, { source, hasShape, missing: this.#missing })
    using staged = this.#inOrder()
    let next = staged.next()
    const nextId = () => (next.done ? undefined : byteKey(next.value.id))
    for await (const rows of allRows(connection, ofList))
      for (const row of rows) {
        const id = byteKey(row.id)
        for (let before = nextId(); before !== undefined && before < id; before = nextId()) {
          comparison.add(next.value, undefined)
          next = staged.next()
        }
        const isStaged = nextId() === id
        comparison.add(isStaged ? next.value : undefined, row)
        if (isStaged) next = staged.next()
      }
    for (; !next.done; next = staged.next()) comparison.add(next.value, undefined)
    return comparison
  }

  *#inOrder(): Generator<StagedContent, undefined> {
    const rows = this.#db.prepare('SELECT position, id, creation, body, rest FROM staged ORDER BY id').iterate()
    try {
      for (;;) {
        const next = inTemporaryDatabase(() => rows.next())
        if (next.done) return
        yield next.value as unknown as StagedContent
      }
    } finally {
      rows.return?.()
    }
  }

  #repeated(): RowDifference['repeated'] {
    const distinct = Number(this.#db.prepare('SELECT count(*) AS n FROM staged').get()?.n)
    const count = this.#added - distinct
    if (count === 0) return { count, ids: [] }
    const sql = `SELECT id FROM staged WHERE is_repeated = 1 ORDER BY position LIMIT ${SAMPLE_SIZE}`
    return {
      count,
      ids: this.#db
        .prepare(sql)
        .all()
        .map(({ id }) => String(id)),
    }
  }

  async #write(
    writer: ListWriter,
    { created, changed, gone }: RowComparison,
    source: string | null,
    onWritten: WrittenListener = () => {},
  ): Promise<void> {
    const all = created.length + changed.length
    let written = 0
    await writer.delete(gone)
    await writer.write(this.#itemsOf(changed, created, source), (rows) => {
      written += rows
      onWritten(written, all)
    })
    // The rows may have changed.
    this.#last = undefined
  }

  /** Those without a time of creation come last, and ties are in the order of the file. */
  *#itemsOf(changed: RowComparison['changed'], created: RowComparison['created'], source: string | null) {
    const sql =
      'SELECT id, sort_key AS sortKey, shown_from AS shownFrom, words, body, rest FROM staged WHERE position = ?'
    const find = this.#db.prepare(sql)
    const itemAt = (position: number) =>
      inTemporaryDatabase(() => find.get(position)) as unknown as Item & { id: string }
    for (const { position, seq, creation } of changed) {
      const item = itemAt(position)
      yield { ...item, ...(creation !== undefined && createdAt(this.#list, item, creation)), source, seq }
    }
    const ordered = created.sort((a, b) => compareCreations(a.creation, b.creation) || a.position - b.position)
    for (const { position } of ordered) yield { ...itemAt(position), source, seq: undefined }
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }
}

function compareCreations(a: string | null, b: string | null): number {
  if (a === b) return 0
  return a !== null && (b === null || a < b) ? -1 : 1
}
