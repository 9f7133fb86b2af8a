import { MAX_COUNTED, type PageRequest, type Position, type Total } from '../../../lists/query.ts'
import { positionsAfter, sortedByPosition } from '../../lists/in-memory-order.ts'
import { type OrderColumn, rangesAfter } from '../../lists/keyset.ts'
import { MAX_DIGESTED, MAX_WALKED, nearValuesSql, ROWS_PER_PAUSE, revisionDigest, totalOf } from '../../lists/query.ts'
import { wordMatcher } from '../../lists/word-filters.ts'
import { columnOf, quoted } from '../../table.ts'
import { inCopy, inTable } from '../frozen.ts'
import type { AccessPath, Seqs } from './access-path.ts'
import { objectSql, positionSql, rangeValues, SQLITE } from './list.ts'
import { countWalkedRows, type QueryContext, UNLIMITED } from './open-query.ts'
import type { SqliteRow } from './sliced-reads.ts'

/** Rows read at once, by their seq. */
const CHUNK = 100

interface FindOptions {
  /** One extra row shows that there are more. */
  most: number
  after?: Position | undefined
  /** Given to `onMatch`. */
  columns?: readonly string[]
}

type OnMatch = (row: SqliteRow) => void

interface Matches {
  positions: Position[]
  isAll: boolean
  /** The last row that was looked at, if the walk was cut short. */
  stoppedAt?: Position
}

/** Finds rows of a list, and reads them. */
export class ListQuery {
  readonly #context: QueryContext
  readonly #path: AccessPath
  readonly #checks: readonly string[]
  readonly #isChecked: boolean
  readonly #hasWords: (row: SqliteRow) => boolean
  readonly #order: readonly OrderColumn[]
  readonly until: number

  constructor(context: QueryContext, path: AccessPath) {
    const { order, checks, contains } = context.filtered
    this.#context = context
    this.#path = path
    this.#checks = checks.map(({ sql }) => sql)
    this.#isChecked = checks.length > 0 || contains.length > 0
    this.#hasWords = wordMatcher(contains)
    this.#order = order
    this.until = context.until
  }

  /** Rows that need no check are counted by the database, except those that a digest needs. */
  get mostKept(): number {
    return this.#isChecked ? MAX_COUNTED : MAX_DIGESTED
  }

  total({ positions, isAll }: Matches): Total {
    return isAll || this.#isChecked
      ? totalOf(positions.length, isAll)
      : totalOf(countWalkedRows(this.#context, MAX_COUNTED), true)
  }

  storedPosition = (after: Position | undefined) =>
    after !== undefined && this.#context.isFrozen ? inCopy(after) : after
  publicPosition = (position: Position) => (this.#context.isFrozen ? inTable(position) : position)

  find(options: FindOptions, onMatch: OnMatch = () => {}): Promise<Matches> {
    return this.#path.by === 'walk' ? this.#walk(options, onMatch) : this.#sort(this.#path.seqs, options, onMatch)
  }

  async #walk({ most, after, columns = [] }: FindOptions, onMatch: OnMatch): Promise<Matches> {
    const { snapshot, select, values } = this.#context
    const checks = this.#checks.join(' AND ')
    const selected = this.#selected(columns) + (checks && `, coalesce(${checks}, 0) AS _passes`)
    const positions: Position[] = []
    let walked = 0
    for (const range of rangesAfter(this.#order, after)) {
      const allValues = { ...values, ...rangeValues(range, after) }
      for (const row of snapshot.each(select(selected, range, UNLIMITED), allValues)) {
        if (row._passes !== 0 && this.#hasWords(row)) {
          positions.push(this.#positionOf(row))
          if (positions.length > most) return { positions, isAll: false }
          onMatch(row)
        }
        if (++walked === MAX_WALKED) return { positions, isAll: false, stoppedAt: this.#positionOf(row) }
        if (walked % ROWS_PER_PAUSE === 0) await snapshot.pause()
      }
    }
    return { positions, isAll: true }
  }

  async #sort(candidates: Seqs, { after, columns = [] }: FindOptions, onMatch: OnMatch): Promise<Matches> {
    const { list, sql, snapshot, filtered, values } = this.#context
    const { conditions, inRange } = filtered
    const fulfilled = [...sql.listed, ...conditions, ...inRange([], []), ...this.#checks].join(' AND ')
    // By seq: an index would find all rows of the workspace.
    const select = `SELECT ${this.#selected(columns)} FROM ${quoted(list.table.name)} NOT INDEXED
          WHERE seq IN (SELECT value FROM json_each(:seqs)) AND ${fulfilled}`
    // Leaves out the searched texts, which may be long.
    const matches: { position: Position; row: SqliteRow }[] = []
    for (let i = 0; i < candidates.length; i += CHUNK) {
      const seqs = `[${candidates.slice(i, i + CHUNK)}]`
      for (const row of snapshot.named(select, { ...values, seqs }))
        if (this.#hasWords(row))
          matches.push({
            position: this.#positionOf(row),
            row: Object.fromEntries(columns.map((name) => [name, row[name] ?? null])),
          })
      await snapshot.pause()
    }
    const positions: Position[] = []
    for (const { position, row } of await sortedByPosition(this.#order, matches, snapshot.pause)) {
      onMatch(row)
      if (positions.push(position) % ROWS_PER_PAUSE === 0) await snapshot.pause()
    }
    return this.matchesAfter({ positions, isAll: true }, after)
  }

  /** If the whole list was read, later pages are taken from it. */
  matchesAfter(all: Matches, after: Position | undefined): Matches {
    if (after === undefined) return all
    // Throws if it is not a position.
    rangesAfter(this.#order, after)
    return { positions: positionsAfter(this.#order, all.positions, after), isAll: all.isAll }
  }

  /** The position, and columns, among them those that are searched. */
  #selected(columns: readonly string[]): string {
    const searched = this.#context.filtered.contains.flatMap(({ fields }) => fields.map(columnOf))
    return [positionSql(this.#order), ...[...new Set([...columns, ...searched])].map(quoted)].join(', ')
  }

  #positionOf(row: SqliteRow): Position {
    return this.#order.map((_, i) => row[`_${i}`] as string | null)
  }

  async objects(positions: readonly Position[], { fields, maxText }: PageRequest): Promise<string[]> {
    const { list, snapshot } = this.#context
    const sql = `SELECT ${objectSql(list.table, fields, maxText)} AS object
      FROM (SELECT value AS _seq FROM json_each(:seqs)) CROSS JOIN ${quoted(list.table.name)} ON seq = _seq`
    const parts: string[] = []
    for (let i = 0; i < positions.length; i += CHUNK) {
      const seqs = `[${positions.slice(i, i + CHUNK).map((position) => position.at(-1))}]`
      for (const { object } of snapshot.named(sql, { seqs })) parts.push(String(object))
      await snapshot.pause()
    }
    return parts
  }

  revisionDigest(): string {
    const { snapshot, workspaceId: id } = this.#context
    const row = snapshot.get('SELECT number FROM revisions WHERE workspace_id = :id', { id })
    return revisionDigest(id, Number(row?.number ?? 0), this.until)
  }

  near(filter: string, value: string): string[] {
    const { list, snapshot, values } = this.#context
    const rows = snapshot.named(nearValuesSql(list, filter, SQLITE, ':value'), { ...values, value })
    return rows.map((row) => String(row.value))
  }
}
