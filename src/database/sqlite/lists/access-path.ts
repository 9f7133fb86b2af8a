import { MAX_COUNTED } from '../../../lists/query.ts'
import { quoted } from '../../table.ts'
import { countWalkedRows, type QueryContext } from './open-query.ts'
import { candidateQuery, findCandidates, searchName } from './search-index.ts'
import type { SqliteRow } from './sliced-reads.ts'

export type Seqs = readonly (string | number)[]

/** How rows are found: by a walk that may end early, or among candidates, which are checked and sorted. */
export type AccessPath = { by: 'walk' } | { by: 'candidates'; seqs: Seqs }

/** A list with no more rows than this is walked, whatever its words and checks. */
const SHORT_WALK = 200

/**
 * Ids are always looked up. Otherwise candidates are preferred to a walk, unless the list is short, they are more than MAX_COUNTED,
 * or the words are so common that at least half of the list are candidates: a walk needs no sorting.
 */
export async function chooseAccessPath(context: QueryContext): Promise<AccessPath> {
  const seqs = rowsWithIds(context) ?? candidatesOfCheck(context) ?? (await candidatesOfWords(context))
  return seqs === undefined ? { by: 'walk' } : { by: 'candidates', seqs }
}

function rowsWithIds({ list, filters: { ids }, snapshot, values: { workspace = '' } }: QueryContext): Seqs | undefined {
  if (ids === undefined) return undefined
  const sql = `SELECT CAST(seq AS TEXT) AS seq FROM ${quoted(list.table.name)}
        WHERE workspace_id = :workspace AND id IN (SELECT value FROM json_each(:ids))`
  return snapshot.named(sql, { workspace, ids: JSON.stringify(ids) }).map(seqOf)
}

const seqOf = ({ seq }: SqliteRow) => String(seq)

const isShort = (context: QueryContext) => countWalkedRows(context, SHORT_WALK) <= SHORT_WALK

/** Rows that fulfil some of the checks, found by an index. */
function candidatesOfCheck(context: QueryContext): Seqs | undefined {
  const { sql, snapshot, values, filtered, unmarked } = context
  const indexed = filtered.checks.filter(({ index }) => index !== undefined)
  const [{ index } = {}] = indexed
  if (index === undefined || isShort(context)) return undefined
  const checks = indexed.map((check) => check.sql)
  const parts = [sql.rows(index, [...sql.inOrder, ...checks])]
  if (sql.unmarkedRows !== undefined && unmarked > 0) parts.push([sql.unmarkedRows, ...checks].join(' AND '))
  const found = parts.map((rows) => `SELECT seq ${rows}`).join(' UNION ALL ')
  const rows = snapshot.named(`SELECT CAST(seq AS TEXT) AS seq FROM (${found}) LIMIT ${MAX_COUNTED + 1}`, values)
  return rows.length > MAX_COUNTED ? undefined : rows.map(seqOf)
}

/** Rows that may contain all words, found by the search index. */
async function candidatesOfWords(context: QueryContext): Promise<Seqs | undefined> {
  const { list, snapshot, workspaceId, isFrozen, filtered } = context
  const { name } = list.table
  const query = candidateQuery(filtered.contains.flatMap(({ words }) => words))
  const hasIndex = () =>
    snapshot.get('SELECT 1 FROM sqlite_schema WHERE name = :name', { name: searchName(name) }) !== undefined
  if (query === undefined || isFrozen || !hasIndex() || isShort(context)) return undefined
  const candidates = await findCandidates(snapshot, name, { query, workspaceId, most: MAX_COUNTED })
  const twice = 2 * (candidates?.length ?? 0)
  return twice > SHORT_WALK && countWalkedRows(context, twice) <= twice ? undefined : candidates
}
