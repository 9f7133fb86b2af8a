import type { DatabaseSync } from 'node:sqlite'
import { foldCase } from '../../../lib/fold-case.ts'
import { columnOf, literal, quoted, type SchemaObject, type Table } from '../../table.ts'
import type { ReadSnapshot } from './sliced-reads.ts'

/**
 * An index of the trigrams in a row's texts, maintained by triggers. It only names candidates: it folds case by its own rules and knows
 * nothing of order, so every row that it names is checked.
 *
 * One trigram of private-use characters stands for the workspace, so that other workspaces' texts cost nothing. Copies of
 * frozen rows (seq < 0) are left out: they are replaced soon.
 */

const INDEX = `fts5(text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram')`

/** Derived from the last six characters of the id, which are random. A collision only slows both workspaces down. */
const workspaceToken = (id: string): string => {
  const code = (at: number) => `coalesce(unicode(substr(${id}, ${at}, 1)), 0) % 80`
  return `char(${[1, 3, 5].map((at) => `57344 + 80 * (${code(-at)}) + ${code(-at - 1)}`).join(', ')})`
}

export const searchName = (table: string) => `${table}_search`

/** Merges about this many pages of a quoted index; a negative number starts a full merge. False if nothing was left to merge. */
export function mergeSome(db: DatabaseSync, index: string, pages: number): boolean {
  const total = db.prepare('SELECT total_changes() AS changes')
  const { changes: before } = total.get() as { changes: number }
  db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${pages})`)
  const { changes: after } = total.get() as { changes: number }
  // FTS5 reports fewer than two changes when there was nothing to merge.
  return after - before >= 2
}

export function searchIndex({ name: table, search }: Pick<Table, 'name' | 'search'>): SchemaObject[] {
  if (search === undefined) return []
  const { fields, only } = search
  const name = searchName(table)
  const columns = fields.map((field) => quoted(columnOf(field)))
  const indexed = (row: string, from = '') => {
    const of = (column: string) => `${row}.${column}`
    const isIndexed = `${of('seq')} > 0${only === undefined ? '' : ` AND ${of(only[0])} = ${literal(only[1])}`}`
    return `INSERT INTO ${name} (rowid, text)
  SELECT ${of('seq')}, concat_ws(char(10), ${workspaceToken(of('workspace_id'))}, ${columns.map(of).join(', ')})${from} WHERE ${isIndexed};`
  }
  const trigger = (event: string, when: string, body: string): SchemaObject => ({
    kind: 'trigger',
    name: `${name}_${event}`,
    sql: `CREATE TRIGGER ${name}_${event} AFTER ${when} BEGIN\n  ${body}\nEND`,
  })
  const remove = `DELETE FROM ${name} WHERE rowid = OLD.seq;`
  const tracked = ['seq', 'workspace_id', ...(only === undefined ? [] : [only[0]]), ...columns]
  const all = (row: string) => tracked.map((column) => `${row}.${column}`).join(', ')
  return [
    {
      kind: 'search',
      name,
      sql: `CREATE VIRTUAL TABLE ${name} USING ${INDEX}`,
      fill: indexed(quoted(table), ` FROM ${quoted(table)}`),
    },
    // REPLACE fires no trigger for the row that it deletes.
    trigger(
      'inserted',
      `INSERT ON ${quoted(table)}`,
      `DELETE FROM ${name} WHERE rowid = NEW.seq;\n  ${indexed('NEW')}`,
    ),
    trigger(
      'updated',
      `UPDATE OF ${tracked.join(', ')} ON ${quoted(table)} WHEN (${all('OLD')}) IS NOT (${all('NEW')})`,
      `${remove}\n  ${indexed('NEW')}`,
    ),
    trigger('deleted', `DELETE ON ${quoted(table)}`, remove),
  ]
}

/**
 * Unaccented letters of these scripts: SQLite folds their case as `foldCase` does, and they are stored in one way only.
 * Accented letters and Hangul syllables may be stored whole or in parts, and no trigger can normalise them.
 */
const INDEXED = /^[a-z0-9α-ωа-яء-يก-ฮぁ-んァ-ヶ㐀-䶿一-鿿]$/
const isIndexed = (letter: string) =>
  INDEXED.test(letter) && letter.normalize('NFD') === letter && !doubleIdeographs().has(letter)

/** Unicode encodes some ideographs twice, for compatibility, and folding maps both to one. */
const doubleIdeographs = () => (double ??= new Set([...between(0xf900, 0xfaff), ...between(0x2f800, 0x2fa1f)]))
let double: Set<string> | undefined
const between = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => foldCase(String.fromCodePoint(first + i)))

/** A query for rows that may contain all these words; undefined if their letters cannot be looked up. */
export function candidateQuery(words: readonly string[]): string | undefined {
  const trigrams = new Set(words.flatMap(trigramsOf))
  if (trigrams.size === 0) return undefined
  // The fold of İ is an i and a dot.
  const terms = [...trigrams].map((term) =>
    term.endsWith('i') ? `("${term}" OR "${term.slice(0, -1)}İ")` : `"${term}"`,
  )
  return terms.join(' AND ')
}

function trigramsOf(word: string): string[] {
  const letters = [...word]
  return letters.flatMap((_, i) => {
    const three = letters.slice(i, i + 3)
    return three.length === 3 && three.every(isIndexed) ? three.join('') : []
  })
}

/** One statement reads and finds at most this many rows, because it cannot be interrupted. */
const ROWS_PER_STATEMENT = 250_000
const FOUND_PER_STATEMENT = 1000

/** Undefined if there are more than `most`. */
export async function findCandidates(
  snapshot: ReadSnapshot,
  table: string,
  { query, workspaceId, most }: { query: string; workspaceId: string; most: number },
): Promise<number[] | undefined> {
  const name = searchName(table)
  const token = snapshot.get(`SELECT ${workspaceToken(':workspaceId')} AS token`, { workspaceId })?.token
  const last = Number(snapshot.get(`SELECT coalesce(max(seq), 0) AS last FROM ${quoted(table)}`, {})?.last)
  const match = `"${token}" AND ${query}`
  const seqs: number[] = []
  for (let from = 0; from < last; ) {
    const to = from + ROWS_PER_STATEMENT
    const rows = snapshot.named(
      `SELECT rowid AS seq FROM ${name} WHERE ${name} MATCH :match AND rowid > :from AND rowid <= :to LIMIT ${FOUND_PER_STATEMENT}`,
      { match, from, to },
    )
    for (const { seq } of rows) seqs.push(Number(seq))
    if (seqs.length > most) return undefined
    from = rows.length < FOUND_PER_STATEMENT ? to : (seqs.at(-1) ?? to)
    await snapshot.pause()
  }
  return seqs
}
