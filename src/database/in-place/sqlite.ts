import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { inBatches } from '../../lib/batches.ts'
import { LAST_MS, toInstant } from '../../lib/instant.ts'
import { parseJson } from '../../lib/json-text.ts'
import type { Kind, Value } from '../../lists/column.ts'
import { StorageError } from '../errors.ts'
import { Slots } from '../slots.ts'
import { explain, isBusy } from '../sqlite/faults.ts'
import { quoted } from '../statements.ts'
import {
  ALIAS,
  type ColumnFacts,
  type ColumnReader,
  literalsIn,
  type RawRow,
  type RawValue,
  type ReadBatches,
  TABLE_READS,
  TABLE_WAIT_MS,
  type Table,
  type TableColumn,
  type TableDatabase,
} from './table-database.ts'

/** SQLite would block the whole process while it waits for a lock. */
const RETRY_MS = 20
const ROWS_AT_ONCE = 100

/**
 * Each read opens the file, so that it sees one that replaced it. Without a write-ahead log, the application waits to commit while rows are
 * read.
 */
export function sqliteTables(setting: string, path: string): TableDatabase {
  const slots = new Slots(TABLE_READS)

  const use = <T>(holder: string, read: (db: DatabaseSync) => Promise<T>): Promise<T> => {
    const until = performance.now() + TABLE_WAIT_MS
    const run = async () => {
      try {
        using db = await openBefore(until)
        return await read(db)
      } catch (error) {
        throw explained(error)
      }
    }
    return slots.run(run, { holder })
  }

  /** In a transaction that has begun to read: from then on, no lock is in its way. */
  async function openBefore(until: number): Promise<DatabaseSync> {
    for (;;) {
      const db = new DatabaseSync(path, { readOnly: true, timeout: 0, readBigInts: true })
      try {
        db.exec('PRAGMA trusted_schema = OFF; BEGIN; SELECT 1 FROM sqlite_schema')
        return db
      } catch (error) {
        db.close()
        if (!isBusy(error) || performance.now() >= until) throw error
        await delay(RETRY_MS)
      }
    }
  }

  function explained(error: unknown): unknown {
    const known = explain(path, error)
    if (known === error && (error as { code?: string }).code !== 'ERR_SQLITE_ERROR') return error
    const { message } = error as Error
    const sentence = /^no such (table|column|function|collation)/.test(message)
      ? 'the table, or what its view reads, has changed'
      : known instanceof StorageError
        ? known.message.replace(`${path}: `, '').replaceAll('DATABASE_URL', setting)
        : 'SQLite cannot read the table'
    return new StorageError(sentence, { cause: error })
  }

  const readerOf = (db: DatabaseSync): ReadBatches =>
    async function* (sql, params) {
      yield* inBatches(db.prepare(sql).iterate(...params) as Iterable<RawRow>, ROWS_AT_ONCE)
    }

  return {
    setting,
    describe: (name) => use('', async (db) => describe(db, name)),
    rows: (holder, sql, params) => use(holder, async (db) => db.prepare(sql).all(...params) as RawRow[]),
    snapshot: (holder, read) => use(holder, (db) => read(readerOf(db))),
    sortsByIndex: (sql, params) =>
      use('', async (db) => {
        const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params)
        return !plan.some(({ detail }) => detail === 'USE TEMP B-TREE FOR ORDER BY')
      }),
    placeholder: () => '?',
  }
}

function describe(db: DatabaseSync, name: string): Table | undefined {
  const [schema, table] = name.startsWith('main.') ? ['main', name.slice('main.'.length)] : ['main', name]
  const known = db
    .prepare("SELECT type, sql FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view')")
    .get(table)
  if (known === undefined) return undefined
  const columns = db.prepare('SELECT name, type, "notnull" AS filled, pk FROM pragma_table_xinfo(?)').all(table)
  const hasOneKey = columns.filter(({ pk }) => pk !== 0n).length === 1
  return {
    isView: known.type === 'view',
    mayWrite: false,
    from: `${schema}.${quoted(table)} AS ${ALIAS}`,
    columns: new Map(
      columns.map(({ name, type, filled, pk }) => {
        const isKey = hasOneKey && pk !== 0n
        const choices = checkedTexts(String(known.sql), String(name))
        const kind = choices === undefined ? kindOf(String(type)) : 'choice'
        const facts = { kind, isNullable: filled === 0n && !isKey, isKey, ...(choices && { choices }) }
        return [String(name), columnOf(String(name), String(type), facts)]
      }),
    ),
  }
}

/** The texts of `CHECK (status IN ('open', 'closed'))`. */
function checkedTexts(sql: string, column: string): string[] | undefined {
  const check = /\bCHECK\s*\(\s*["`[]?(?<column>\w+)["`\]]?\s+IN\s*\((?<texts>\s*'(?:[^']|''|'\s*,\s*')*'\s*)\)\s*\)/gi
  const { texts } = sql.matchAll(check).find(({ groups }) => groups?.column === column)?.groups ?? {}
  return texts === undefined ? undefined : literalsIn(texts)
}

/** As its declaration suggests. */
function kindOf(type: string): Kind {
  if (/BOOL/i.test(type)) return 'boolean'
  if (/TIME/i.test(type)) return 'instant'
  if (/DATE/i.test(type)) return 'date'
  if (/INT/i.test(type)) return 'integer'
  return /REAL|FLOA|DOUB|NUM|DEC/i.test(type) ? 'decimal' : 'text'
}

/** Columns can hold values of any type, so the values are checked one by one. */
function columnOf(name: string, type: string, facts: ColumnFacts): TableColumn {
  const sql = `${ALIAS}.${quoted(name)}`
  const among = (placeholders: readonly string[]) => `${sql} COLLATE BINARY IN (${placeholders})`
  return {
    type,
    facts,
    tie: { order: `${sql} COLLATE BINARY`, kindOf: (raw) => (typeof raw === 'string' ? 'text' : 'integer') },
    problemAs: () => undefined,
    // To compare it with a column of numbers, SQLite would turn a text such as 1e2 into one.
    equals: (text) => `typeof(${sql}) = 'text' AND ${sql} COLLATE BINARY = ${text}`,
    ids: { mayBeOneOf: among, parameters: (id) => (isWholeNumber(id) ? [id, Number(id)] : [id]) },
    readAs: (kind) => readerAs(kind, sql, type, !facts.isNullable),
  }
}

const isWholeNumber = (text: string) => /^-?\d{1,15}$/.test(text) && String(Number(text)) === text

function readerAs(kind: Kind, sql: string, type: string, isFilled: boolean): ColumnReader {
  const milliseconds = `CASE typeof(${sql}) WHEN 'text' THEN round(unixepoch(${sql}, 'subsec') * 1000) ELSE round(${sql} * 1000) END`
  const isNumber = kind === 'integer' || kind === 'boolean' || kind === 'decimal' || kind === 'money'
  // An index serves Unix seconds as they are.
  const sorted =
    kind === 'instant' && !/INT/i.test(type)
      ? milliseconds
      : isNumber || kind === 'instant'
        ? sql
        : `${sql} COLLATE BINARY`
  return {
    select: sql,
    order: isFilled ? sorted : `${sql} IS NULL, ${sorted}`,
    compared: `${sql} COLLATE BINARY`,
    parameter: (value) => (typeof value === 'boolean' ? Number(value) : value),
    isAfter: (placeholder) => `${milliseconds} > ${placeholder}`,
    valueOf: (raw) => (typeof raw === 'object' ? undefined : READERS[kind](raw)),
    ...(kind === 'instant' && { sortedBy: (raw: RawValue) => isoOrNull(millisecondsOf(raw)) }),
  }
}

type Scalar = string | number | bigint
const text = (raw: Scalar) => (typeof raw === 'number' ? undefined : String(raw))
const onlyText = (raw: Scalar) => (typeof raw === 'string' ? raw : undefined)
/** A number with an exponent is not a decimal, and is refused like any other text that is none. */
const decimal = (raw: Scalar) => String(raw)

const READERS: Record<Kind, (raw: Scalar) => Value | undefined> = {
  text,
  email: onlyText,
  url: onlyText,
  choice: text,
  date: onlyText,
  decimal,
  money: decimal,
  integer: (raw) => (typeof raw === 'string' ? undefined : Number(raw)),
  boolean: (raw) => (Number(raw) === 1 ? true : Number(raw) === 0 ? false : undefined),
  texts: (raw) => (typeof raw === 'string' ? (parseJson(raw) as Value | undefined) : undefined),
  instant: (raw) =>
    typeof raw === 'string' ? toInstant(raw) : (isoOrNull(Math.floor(Number(raw) * 1000)) ?? undefined),
}

const FRACTION = /\.\d+/

/** As SQLite rounds them: see `readerAs`. */
function millisecondsOf(raw: RawValue): number {
  if (typeof raw !== 'string') return Math.round(Number(raw ?? Number.NaN) * 1000)
  const [fraction = '0'] = FRACTION.exec(raw) ?? []
  return Date.parse(toInstant(raw.replace(FRACTION, '')) ?? '') + Math.floor(Number(`0${fraction}`) * 1000 + 0.5)
}

const isoOrNull = (ms: number): string | null =>
  Math.abs(ms) <= LAST_MS ? (toInstant(new Date(ms).toISOString()) ?? null) : null
