import type { QueryConfig, QueryResultRow } from 'pg'
import { type Filters, MAX_COUNTED, type ReadScope } from '../../../lists/query.ts'
import type { QueryableList } from '../../lists/reader.ts'
import { POSTGRES } from './list.ts'
import { type AccessPath, ListQuery } from './query.ts'
import { type SearchSupport, searchSupportSql } from './search-index.ts'

/** This many rows of a walk show whether a word is common. */
export const SAMPLE_ROWS = 1000
/** More common words are found sooner by a walk. */
const COMMON_SHARE = 0.05
const SUPPORT_CHECKED_MS = 60_000

export const WALK: AccessPath = { by: 'walk' }
const TRIGRAMS: AccessPath = { by: 'trigrams' }

/** Runs on a read-only session. */
export type Read = <Row extends QueryResultRow>(statement: QueryConfig) => Promise<Row[]>

/** Chooses how a query finds its rows, by reading a sample of the list. */
export class AccessPaths {
  readonly #list: QueryableList
  readonly #read: Read
  #support: SearchSupport = { hasIndex: false, hasLetters: false }
  #supportedUntil = 0

  constructor(list: QueryableList, read: Read) {
    this.#list = list
    this.#read = read
  }

  /** The extension may be installed while the server runs. */
  async #supported(): Promise<SearchSupport> {
    if (performance.now() >= this.#supportedUntil) {
      const [support] = await this.#read<SearchSupport & QueryResultRow>({
        text: searchSupportSql(this.#list.table.name),
      })
      this.#support = support ?? this.#support
      this.#supportedUntil = performance.now() + SUPPORT_CHECKED_MS
    }
    return this.#support
  }

  /** Tries a short walk: words that it finds often, or a list that it gets through, need no index. */
  async choose(scope: ReadScope, filters: Filters): Promise<AccessPath> {
    const { checks, contains } = this.#list.compileFilters(filters, POSTGRES, () => '')
    const words = contains.flatMap((contained) => contained.words)
    if (words.length === 0)
      return checks.some(({ index }) => index !== undefined) ? this.#pathForChecks(scope, filters) : WALK
    const support = await this.#supported()
    const hasTrigrams = support.hasLetters ? /[\p{L}\p{N}]{3}/u : /[a-z0-9]{3}/
    if (!support.hasIndex || !words.some((word) => hasTrigrams.test(word))) return WALK
    const query = new ListQuery(this.#list, scope, filters, WALK)
    const walked = query.walk(query.everywhere, SAMPLE_ROWS)
    const text = `SELECT count(*)::int AS walked, count(*) FILTER (WHERE ${query.matches})::int AS found FROM (${walked}) AS walked`
    const [row] = await this.#read<{ walked: number; found: number }>(query.statement(text))
    if (row?.walked !== SAMPLE_ROWS || row.found >= COMMON_SHARE * SAMPLE_ROWS) return WALK
    return (await this.#areFew(scope, filters)) ? TRIGRAMS : { ...WALK, findsMany: true }
  }

  /** Rows that a check's index finds are sorted, so there must not be too many. */
  async #pathForChecks(scope: ReadScope, filters: Filters): Promise<AccessPath> {
    const query = new ListQuery(this.#list, scope, filters, WALK)
    const checks = query.filtered.checks.filter(({ index }) => index !== undefined).map(({ sql }) => sql)
    const inList = query.rows(query.everywhere, [], `LIMIT ${SAMPLE_ROWS + 1}`)
    const candidates = query.rows(query.everywhere, checks, `LIMIT ${MAX_COUNTED + 1}`)
    const text = `SELECT (SELECT count(*) FROM (${inList}) AS _first) > ${SAMPLE_ROWS} AND count(*) <= ${MAX_COUNTED} AS few,
      count(*) FILTER (WHERE ${query.matches}) > ${MAX_COUNTED} AS many FROM (${candidates}) AS _named`
    const [row] = await this.#read<{ few: boolean; many: boolean }>(query.statement(text))
    return row?.few === true ? { by: 'check' } : { ...WALK, findsMany: row?.many === true }
  }

  /** Candidates are sorted, so there must not be too many. */
  async #areFew(scope: ReadScope, filters: Filters): Promise<boolean> {
    const query = new ListQuery(this.#list, scope, filters, TRIGRAMS)
    const candidates = query.rows(query.everywhere, [query.matches], 'OFFSET 0')
    const text = `SELECT EXISTS (SELECT FROM (${candidates}) AS _found OFFSET ${MAX_COUNTED}) AS many`
    const [row] = await this.#read<{ many: boolean }>(query.statement(text))
    return row?.many === false
  }
}
