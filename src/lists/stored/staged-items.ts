import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlConnection } from '../../database/connection.ts'
import type { Transaction } from '../../database/store.ts'
import { inTemporaryDatabase, openTemporaryDatabase } from '../../database/temporary-database.ts'
import { formatCount } from '../../lib/format-count.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Row } from '../column.ts'
import type { List } from '../definition.ts'
import { type Item, itemOf } from '../item.ts'
import {
  createdAt,
  creationOf,
  isFilled,
  MAX_ROWS,
  optionalFields,
  RowComparison,
  type RowDifference,
  SAMPLE_SIZE,
  type SourceScope,
  type StagedRow,
  type WrittenRow,
} from './comparison.ts'
import { allRows, type OfList } from './items.ts'
import { ListWriter } from './write.ts'

/** Enough to replace a full list: its rows are staged for deletion, and as many others. They are held in memory without their content. */
const MAX_STAGED = 2 * MAX_ROWS

interface Compared {
  scope: SourceScope
  revision: number
  comparison: RowComparison
  difference: RowDifference
}

/** `rows` of the `all` that differ are stored. */
type StoredListener = (rows: number, all: number) => void

/** Staged rows and what they change, in the transaction that may write them. */
export interface StagedChanges {
  difference: RowDifference
  /** New rows are ordered by creation time, those without one last. Existing rows keep their place and creation time. */
  write(): Promise<void>
}

/**
 * Holds rows outside the database, without a lock, until one transaction writes what differs. They are compared before, so that the
 * transaction only needs to compare them again if the workspace has changed meanwhile.
 */
export class StagedItems implements Disposable {
  readonly list: List
  readonly byId = new Map<string, StagedRow>()
  readonly #creation: string | undefined
  readonly #now: string
  readonly #db: DatabaseSync
  readonly #insert: StatementSync
  readonly #findItem: StatementSync
  readonly #findContent: StatementSync
  readonly #repeated = new Set<string>()
  #repetitions = 0
  missing: readonly string[]
  #last: Compared | undefined

  /** Rows whose records leave out when they were created are created `now`. */
  constructor(list: List, now: string) {
    this.list = list
    this.#creation = creationOf(list)
    this.#now = now
    this.missing = optionalFields(list)
    this.#db = openTemporaryDatabase()
    this.#db.exec('CREATE TABLE staged (position INTEGER PRIMARY KEY, sort_key, shown_from, words, body, rest)')
    this.#insert = this.#db.prepare('INSERT OR REPLACE INTO staged VALUES (?, ?, ?, ?, ?, ?)')
    this.#findItem = this.#db.prepare(
      'SELECT sort_key AS "sortKey", shown_from AS "shownFrom", words, body, rest FROM staged WHERE position = ?',
    )
    this.#findContent = this.#db.prepare('SELECT body, rest FROM staged WHERE position = ?')
  }

  /** Rows that were checked. One with `deleted` set marks a stored row for deletion. */
  add(rows: readonly Row[]): void {
    inTemporaryDatabase(() => {
      for (const row of rows) this.#addRow(row)
    })
  }

  /** An id that is staged twice keeps its first position and its last content. */
  #addRow(row: Row): void {
    const id = String(row.id)
    const before = this.byId.get(id)
    if (before !== undefined) {
      this.#repetitions++
      this.#repeated.add(id)
    } else if (this.byId.size === MAX_STAGED)
      throw new UserError(
        `there are more than ${formatCount(MAX_STAGED)} records, and a workspace can have at most ${formatCount(MAX_ROWS)} ${this.list.name}; nothing was changed`,
      )
    const position = before?.position ?? this.byId.size
    const given = this.#creation === undefined ? null : (row[this.#creation] ?? null)
    const creation = given === null ? undefined : String(given)
    const isDeletion = Boolean(row.deleted)
    this.byId.set(id, { position, id, creation, isDeletion })
    if (isDeletion) return
    if (this.missing.length > 0) this.missing = this.missing.filter((name) => !isFilled(row[name]))
    const isDated = this.#creation === undefined || creation !== undefined
    const item = itemOf(this.list, isDated ? row : { ...row, [String(this.#creation)]: this.#now })
    this.#insert.run(position, item.sortKey, item.shownFrom, item.words, item.body, item.rest)
  }

  contentAt(position: number): Pick<Item, 'body' | 'rest'> {
    return inTemporaryDatabase(() => this.#findContent.get(position)) as unknown as Pick<Item, 'body' | 'rest'>
  }

  /** All statements must see the same moment. Takes no lock. */
  async compare(connection: Pick<SqlConnection, 'all'>, scope: SourceScope): Promise<RowDifference> {
    const sql = 'SELECT number FROM revisions WHERE workspace_id = ?'
    const [row] = await connection.all<{ number: number }>(sql, scope.workspaceId)
    return (await this.#compared(connection, scope, row?.number ?? 0)).difference
  }

  /** Other writers of the workspace wait until the transaction ends. */
  async begin(tx: Transaction, scope: SourceScope, onStored: StoredListener = () => {}): Promise<StagedChanges> {
    const writer = await ListWriter.open(tx, this.list, scope.workspaceId)
    const { comparison, difference } = await this.#compared(tx, scope, writer.revision)
    return { difference, write: () => this.#write(writer, comparison, scope.source, onStored) }
  }

  /** Every writer moves the revision, so a comparison is right until it does. */
  async #compared(connection: Pick<SqlConnection, 'all'>, scope: SourceScope, revision: number): Promise<Compared> {
    const last = this.#last
    const isSame = last?.scope.workspaceId === scope.workspaceId && last.scope.source === scope.source
    if (isSame && last.revision === revision) return last
    const ofList: OfList = [scope.workspaceId, this.list.name]
    const comparison = new RowComparison(this, scope.source)
    for await (const rows of allRows(connection, ofList)) for (const row of rows) comparison.add(row)
    const repeated = this.byId.keys().filter((id) => this.#repeated.has(id))
    const difference = comparison.difference({ count: this.#repetitions, ids: [...repeated.take(SAMPLE_SIZE)] })
    this.#last = { scope, revision, comparison, difference }
    return this.#last
  }

  async #write(
    writer: ListWriter,
    { created, changed, gone }: RowComparison,
    source: string | null,
    onStored: StoredListener,
  ): Promise<void> {
    let seq = writer.newSeqs(created.length)
    const all: WrittenRow[] = [...changed]
    for (const staged of created.toSorted(byCreation)) all.push({ staged, seq: seq++ })
    await writer.write(this.#itemsOf(all, source, onStored), gone)
  }

  /** In the order in which they were staged, which is the fastest. */
  *#itemsOf(rows: WrittenRow[], source: string | null, onStored: StoredListener) {
    let stored = 0
    for (const { staged, seq, keptCreation } of rows.sort((a, b) => a.staged.position - b.staged.position)) {
      const item = inTemporaryDatabase(() => this.#findItem.get(staged.position)) as unknown as Item
      const kept = keptCreation === undefined ? item : createdAt(this.list, item, keptCreation)
      yield Object.assign(kept, { id: staged.id, source, seq })
      onStored(++stored, rows.length)
    }
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }
}

/** Those without a time come last, and ties are in the order of the file. */
function byCreation(a: StagedRow, b: StagedRow): number {
  if (a.creation === b.creation) return a.position - b.position
  return a.creation !== undefined && (b.creation === undefined || a.creation < b.creation) ? -1 : 1
}
