import type { DatabaseSync } from 'node:sqlite'
import { isoOf } from '../../../lib/instant.ts'
import { nearest } from '../../../lib/nearest.ts'
import {
  type CountRequest,
  type ListCounts,
  type ListPage,
  type ListReader,
  MAX_COUNTED,
  type PageRequest,
  type ReadScope,
  type ResourceBody,
} from '../../../lists/query.ts'
import type { BackgroundUpdates } from '../../lists/background-updates.ts'
import { GroupCounter } from '../../lists/groups.ts'
import { MAX_DIGESTED, rowsDigest, totalOf } from '../../lists/query.ts'
import type { QueryableList } from '../../lists/reader.ts'
import { columnOf } from '../../table.ts'
import { isIndexChanged, prepareIndexed } from '../faults.ts'
import { copyOf, frozenIn } from '../frozen.ts'
import { chooseAccessPath } from './access-path.ts'
import { markShown, nextChangeIn } from './hidden-rows.ts'
import { firstRowsSql } from './list.ts'
import { type ListRequest, openQuery, statements } from './open-query.ts'
import { ListQuery } from './query.ts'
import type { SlicedReads, SqliteRow } from './sliced-reads.ts'

interface ListConnections {
  /** Read-only. */
  db: DatabaseSync
  /** For reads that may take long. */
  sliced: Pick<SlicedReads, 'run'>
  /** A connection that can write, for updates in the background. */
  writeDb: DatabaseSync
  background: Pick<BackgroundUpdates, 'request'>
  /** Another process has migrated to another definition of the list. */
  onIndexChanged(): void
}

function prepare(list: QueryableList, { db, writeDb, background }: ListConnections) {
  const { name, listing } = list.table
  const sql = statements(list)
  const mark = listing.hidden && markShown(name, listing.hidden, sql.unmarkedRows ?? '', writeDb)
  const isFrozen = frozenIn(db, name)
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  const findNextChange = listing.hidden && prepareIndexed(db, sql.nextChange)
  // Read as bytes, because converting to a string and back would take longer than the read.
  const prepareRead = (isMerged: boolean) =>
    prepareIndexed(
      db,
      `SELECT CAST(concat('{"${name}":[', group_concat(_object, ','), ']}') AS BLOB) AS json
      FROM (${firstRowsSql(list, isMerged)})`,
    )
  const inOrder = prepareRead(false)
  const merged = listing.hidden ? prepareRead(true) : inOrder
  const readFirstRows = async ({ workspaceId, now }: ReadScope): Promise<ResourceBody> => {
    // One snapshot, so that the response and its `until` agree.
    begin.run()
    try {
      const workspace = isFrozen(workspaceId) ? copyOf(workspaceId) : workspaceId
      const at: SqliteRow = { workspace, ...(findNextChange && { now: isoOf(now) }) }
      const { until, unmarked } = nextChangeIn(findNextChange?.get(at))
      background.request(mark, unmarked, workspace, now)
      const { json } = (unmarked > 0 ? merged : inOrder).get(at) as unknown as { json: Uint8Array }
      return { body: Buffer.from(json.buffer, json.byteOffset, json.byteLength), until }
    } finally {
      end.run()
    }
  }
  return { sql, mark, readFirstRows }
}

/** Suggestions come from this many of the list's first rows. */
const SUGGESTED_FROM = 1000

export class SqliteListReader implements ListReader {
  readonly #list: QueryableList
  readonly #connections: ListConnections
  #prepared: ReturnType<typeof prepare> | undefined

  constructor(list: QueryableList, connections: ListConnections) {
    this.#list = list
    this.#connections = connections
  }

  /** Prepared by the first read. */
  #statements(): ReturnType<typeof prepare> {
    this.#prepared ??= prepare(this.#list, this.#connections)
    return this.#prepared
  }

  /** If an index has changed, prepares the statements again, and reads once more. */
  async #retried<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!isIndexChanged(error)) throw error
      this.#prepared = undefined
      this.#connections.onIndexChanged()
      return read()
    }
  }

  firstRows(scope: ReadScope): Promise<ResourceBody> {
    return this.#retried(() => this.#statements().readFirstRows(scope))
  }

  #run<T>(scope: ReadScope, request: ListRequest, read: (query: ListQuery) => Promise<T>): Promise<T> {
    const { workspaceId, now } = scope
    return this.#retried(() =>
      this.#connections.sliced.run(workspaceId, async (snapshot) => {
        const { sql, mark } = this.#statements()
        const context = openQuery({ list: this.#list, sql, snapshot }, scope, request)
        this.#connections.background.request(mark, context.unmarked, workspaceId, now)
        return read(new ListQuery(context, await chooseAccessPath(context)))
      }),
    )
  }

  page(scope: ReadScope, page: PageRequest): Promise<ListPage> {
    return this.#run(scope, page, async (query) => {
      const { limit, withTotal = false } = page
      const after = query.storedPosition(page.after)
      const most = withTotal ? Math.max(limit, query.mostKept) : limit
      const all = withTotal || after === undefined ? await query.find({ most }) : undefined
      const isInAll = all !== undefined && (after === undefined || all.isAll)
      const matches = isInAll ? query.matchesAfter(all, after) : await query.find({ most: limit, after })
      const chosen = matches.positions.slice(0, limit)
      const last = matches.positions.length > limit ? chosen.at(-1) : matches.stoppedAt
      // The digest covers all rows, and the page only some of them.
      const isDigested = withTotal && all?.isAll && all.positions.length <= MAX_DIGESTED
      const objects = await query.objects(isDigested ? all.positions : chosen, page)
      const start = isDigested ? all.positions.length - matches.positions.length : 0
      return {
        rows: objects.slice(start, start + chosen.length),
        positions: chosen.map(query.publicPosition),
        next: last && query.publicPosition(last),
        until: query.until,
        ...(withTotal &&
          all && {
            total: query.total(all),
            digest: isDigested ? rowsDigest(objects) : query.revisionDigest(),
          }),
      }
    })
  }

  counts(scope: ReadScope, request: CountRequest): Promise<ListCounts> {
    return this.#run(scope, { ...request, followsDue: true }, async (query) => {
      const { countBy, due } = this.#list
      const fields = countBy[request.by] ?? []
      const groups = new GroupCounter(this.#list, fields, request)
      const dues = due === undefined ? [] : [columnOf(due)]
      const at = isoOf(scope.now)
      const columns = fields.map(columnOf)
      const options = { most: MAX_COUNTED, columns: [...columns, ...dues] }
      const { positions, isAll } = await query.find(options, (row) => {
        const isOverdue = dues.some((column) => row[column] !== null && String(row[column]) < at)
        const values = columns.map((column) => row[column] as string)
        groups.add(values, isOverdue)
      })
      return groups.result(totalOf(positions.length, isAll), query.until)
    })
  }

  /** Reads the first rows of the list, and the index entries next to the value. */
  suggest(scope: ReadScope, filter: string, value: string): Promise<readonly string[]> {
    return this.#run(scope, { filters: {} }, async (query) => {
      const columns = (this.#list.suggests[filter] ?? []).map(columnOf)
      const values: string[] = []
      await query.find({ most: SUGGESTED_FROM, columns }, (row) => {
        for (const column of columns) if (row[column] !== null) values.push(String(row[column]))
      })
      return nearest(value, [...values, ...query.near(filter, value)])
    })
  }
}
