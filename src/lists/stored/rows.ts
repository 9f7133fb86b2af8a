import type { SqlConnection, SqlValue } from '../../database/connection.ts'
import { among } from '../../database/statements.ts'
import type { PublicReads } from '../../database/store.ts'
import { asciiLowerCase } from '../../lib/email.ts'
import { Slices } from '../../lib/turns.ts'
import type { List } from '../definition.ts'
import { MAX_COUNTED, type Place } from '../query.ts'
import { ListReader } from '../reader.ts'
import type { ListedRow, ListRows, RowSource, Walk } from '../rows.ts'
import { historyOf } from './history.ts'
import { OF_LIST, type OfList, ROWS_AT_ONCE } from './items.ts'
import { reshapedRows } from './reshaped-rows.ts'

/** Before every row of a list. */
const START: Place = ['', 0]

const IS_LISTED = `${OF_LIST} AND sort_key IS NOT NULL AND (shown_from IS NULL OR shown_from <= ?)`

const REVISION = '(SELECT number FROM revisions WHERE workspace_id = ?) AS revision'
const HEAD = 'shape, placed, until, later'
const FROM = `FROM (SELECT min(shown_from) AS until, count(*) AS later FROM list_items WHERE ${OF_LIST} AND shown_from > ?) AS hidden
  LEFT JOIN stored_lists ON ${OF_LIST}`

interface Head {
  /** Null for a list without rows. */
  shape: string | null
  until: number | null
  /** How many rows it shows now or later, and how many of them later. */
  placed: number | null
  later: number
}

const shownOf = ({ placed, later }: Head) => (placed ?? 0) - later
const timeOf = (until: number | null) => until ?? Number.POSITIVE_INFINITY

/** How many rows a list shows, up to MAX_COUNTED. */
export async function countShown(db: Pick<SqlConnection, 'all'>, ofList: OfList, now: number): Promise<number> {
  const [head] = (await db.all(`SELECT ${HEAD} ${FROM}`, ...ofList, now, ...ofList)) as [Head]
  return Math.min(shownOf(head), MAX_COUNTED)
}

/** Reads a stored list, on both engines. */
export const readerOf = (store: PublicReads, list: List) => new ListReader(list, storedRows(store, list))

const storedRows = (store: PublicReads, list: List): RowSource => ({
  read({ workspaceId, now }, read) {
    const ofList: OfList = [workspaceId, list.name]
    return store.snapshot(workspaceId, async (db) => {
      const sql = `SELECT ${HEAD}, ${REVISION} ${FROM}`
      const params = [workspaceId, ...ofList, now, ...ofList]
      const [head] = (await db.all(sql, ...params)) as [Head & { revision: number | null }]
      const revision = head.revision ?? 0
      const isOther = head.shape !== null && head.shape !== list.shape
      if (isOther) return read(await reshapedRows(db, list, { workspaceId, now }, revision))
      const known = { nextShown: timeOf(head.until), revision, isCut: false, shown: shownOf(head) }
      return read(itemRows(db, ofList, now, known))
    })
  },

  /** One statement, whose rows need no parsing. Both databases aggregate the rows of a subquery in its order. */
  async firstRows({ workspaceId, now }, limit) {
    const { name, shape } = list
    const ofList: OfList = [workspaceId, name]
    const first = `SELECT body FROM list_items WHERE ${IS_LISTED} ORDER BY sort_key, seq LIMIT ${limit}`
    const rows = `coalesce((SELECT string_agg(body, ',') FROM (${first}) AS first), '')`
    const body = store.utf8Of(`'{"${name}":[' || ${rows} || ']}'`)
    const [found] = await store.rows<Head & { body: Uint8Array<ArrayBuffer> }>(
      `first ${limit} ${name}`,
      `SELECT ${HEAD}, ${body} AS body ${FROM}`,
      ...[...ofList, now, ...ofList, now, ...ofList],
    )
    if (found === undefined || (found.shape !== null && found.shape !== shape)) return undefined
    const { buffer, byteOffset, byteLength } = found.body
    const total = Math.min(shownOf(found), MAX_COUNTED)
    return { body: Buffer.from(buffer, byteOffset, byteLength), until: timeOf(found.until), total }
  },
})

/** Items of the list's own shape: the database has computed keys and texts to order and search by. */
function itemRows(
  db: Pick<SqlConnection, 'all'>,
  ofList: OfList,
  now: number,
  known: Omit<ListRows, 'walk'>,
): ListRows {
  const slices = new Slices()
  const rows = { ...known, walk }
  return { ...rows, history: historyOf(db, ofList, rows, slices) }

  /** Each statement looks at the same number of rows, however few of them match: those that do not come without a body. */
  async function* walk({
    after,
    from: first,
    before,
    words = [],
    hints = [],
    ids,
    withWords,
  }: Walk): AsyncGenerator<ListedRow[]> {
    const tests = [...words.map(() => 'words LIKE ?'), ...hints.map(() => 'lower(body) LIKE ?')]
    const patterns = [...words, ...hints.map(asciiLowerCase)].map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)
    const escaped = tests.map((test) => `${test} ESCAPE '\\'`)
    const body = tests.length === 0 ? 'body' : `CASE WHEN ${escaped.join(' AND ')} THEN body END AS body`
    const columns = withWords === true ? `${body}, words` : body
    // The limit keeps databases from walking through the whole list in order.
    const from = ids && `(SELECT * FROM list_items WHERE ${OF_LIST} AND id ${among(ids)} LIMIT ${ids.length}) AS items`
    const sql = `SELECT seq, sort_key AS "sortKey", ${columns} FROM ${from ?? 'list_items'}
      WHERE ${IS_LISTED} ${before === undefined ? '' : 'AND sort_key < ?'} AND (sort_key, seq) > (?, ?)
      ORDER BY sort_key, seq LIMIT ${ROWS_AT_ONCE}`
    const params: SqlValue[] = [
      ...patterns,
      ...(ids === undefined ? [] : [...ofList, ...ids]),
      ...ofList,
      now,
      ...(before === undefined ? [] : [before]),
    ]
    let place = after ?? (first === undefined ? START : ([first, 0] as const))
    for (;;) {
      await slices.pause()
      const rows = await db.all<ReadItem>(sql, ...params, ...place)
      yield rows.flatMap(({ seq, sortKey, body, ...rest }) =>
        body === null ? [] : { place: [sortKey, seq] as const, body, ...rest },
      )
      const last = rows[ROWS_AT_ONCE - 1]
      if (last === undefined) return
      place = [last.sortKey, last.seq]
    }
  }
}

interface ReadItem {
  seq: number
  sortKey: string
  /** Null if the row does not match. */
  body: string | null
  words?: string
}
