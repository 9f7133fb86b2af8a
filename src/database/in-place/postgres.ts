import { hash } from 'node:crypto'
import type { QueryConfig } from 'pg'
import pg from 'pg'
import { toInstant } from '../../lib/instant.ts'
import { parseJson } from '../../lib/json-text.ts'
import type { Kind, Value } from '../../lists/column.ts'
import type { SqlValue } from '../connection.ts'
import { StorageError } from '../errors.ts'
import { explain } from '../postgres/faults.ts'
import { createPool } from '../postgres/pool/connect.ts'
import type { PostgresDatabase } from '../postgres/pool/url.ts'
import { Slots } from '../slots.ts'
import { quoted } from '../statements.ts'
import {
  ALIAS,
  type ColumnFacts,
  literalsIn,
  type RawRow,
  type RawValue,
  TABLE_READS,
  TABLE_WAIT_MS,
  type Table,
  type TableColumn,
  type TableDatabase,
} from './table-database.ts'

const ROWS_AT_ONCE = 100

export function postgresTables(setting: string, database: PostgresDatabase): TableDatabase {
  const pool = createPool(database, {
    ...{ purpose: 'reads in place', max: TABLE_READS.total, readOnly: true, isElsewhere: true },
  })
  // So that a database that is down does not keep requests waiting.
  const tooLate = new StorageError(`PostgreSQL does not respond at the address in ${setting}`)
  const slots = new Slots({ ...TABLE_READS, patienceMs: TABLE_WAIT_MS, tooLate })

  const use = <T>(holder: string, read: () => Promise<T>): Promise<T> => {
    const run = () =>
      read().catch((error) => {
        throw explained(error, setting)
      })
    return slots.run(run, { holder })
  }
  const rows = (holder: string, text: string, values: readonly SqlValue[]) =>
    use(holder, async () => (await pool.query<RawRow>({ ...query(text, values), name: hash('sha1', text) })).rows)

  return {
    setting,
    describe: async (name) => tableIn(await rows('', CATALOGUE, namesIn(name))),
    rows,
    snapshot: (holder, read) =>
      use(holder, () =>
        pool.snapshot((client) => {
          let cursors = 0
          return read(async function* (sql, params) {
            const cursor = `rows_${cursors++}`
            await client.query(query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, params))
            for (;;) {
              const { rows } = await client.query<RawRow>(query(`FETCH ${ROWS_AT_ONCE} FROM ${cursor}`, []))
              yield rows
              if (rows.length < ROWS_AT_ONCE) return
            }
          })
        }),
      ),
    sortsByIndex: (sql, params) =>
      use('', () =>
        pool.snapshot(async (client) => {
          // As if the table were large.
          await client.query(
            'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off',
          )
          const { rows } = await client.query<Record<string, string>>(query(`EXPLAIN ${sql}`, params))
          return !rows.some((row) => /^(?: {2}-> {2}|\s*)Sort /.test(row['QUERY PLAN'] ?? ''))
        }),
      ),
    placeholder: (n) => `$${n}`,
  }
}

const query = (text: string, values: readonly SqlValue[]): QueryConfig => ({
  text,
  values: [...values],
  types: AS_TEXT,
})

const { TEXT_ARRAY, VARCHAR_ARRAY } = { TEXT_ARRAY: 1009, VARCHAR_ARRAY: 1015 }
const parseArray = pg.types.getTypeParser(TEXT_ARRAY as Parameters<typeof pg.types.getTypeParser>[0])
const AS_TEXT = {
  getTypeParser: (oid: number) => (oid === TEXT_ARRAY || oid === VARCHAR_ARRAY ? parseArray : (text: string) => text),
} as NonNullable<QueryConfig['types']>

const SENTENCES: Record<string, string> = {
  42501: 'the role may not read the table',
  '42P01': 'the table, or what its view reads, has changed',
  42703: 'the table, or what its view reads, has changed',
  '0A000': 'the table, or what its view reads, has changed',
  57014: 'PostgreSQL needed more than 2 seconds to read the table; an index on the order of the list helps',
}

/** PostgreSQL's own messages may have values. */
function explained(error: unknown, setting: string): unknown {
  const { code = '' } = error as { code?: string }
  const known = explain(error)
  const sentence =
    SENTENCES[code] ??
    (known instanceof StorageError ? known.message : code && `PostgreSQL cannot read the table (${code})`)
  return sentence === '' ? error : new StorageError(sentence.replaceAll('DATABASE_URL', setting), { cause: error })
}

function namesIn(name: string): (string | null)[] {
  const dot = name.indexOf('.')
  return dot < 0 ? [null, name] : [name.slice(0, dot), name.slice(dot + 1)]
}

/** A domain stands for its type, and a loose text has a collation that is not deterministic. Without a schema, the table is the one that the role's search path finds. */
const CATALOGUE = `
  SELECT n.nspname AS schema, c.relname AS table, a.attname AS column,
    CASE WHEN base.typtype = 'e' THEN 'enum' WHEN l.collisdeterministic IS NOT FALSE THEN base.typname ELSE 'loose text' END AS type, c.relkind IN ('v', 'm') AS "isView",
    a.attnotnull AS filled, col_description(c.oid, a.attnum) AS comment,
    (SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = base.oid) AS choices,
    (SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c' AND conkey = ARRAY[a.attnum] LIMIT 1) AS check,
    EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indkey::text = a.attnum::text) AS "isKey",
    has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') AS "mayWrite"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid JOIN pg_type base ON base.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
  LEFT JOIN pg_collation l ON l.oid = a.attcollation
  WHERE c.relname = $2 AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
    AND CASE WHEN $1::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $1 END
  ORDER BY a.attnum`

function tableIn(rows: readonly RawRow[]): Table | undefined {
  const [first] = rows
  if (first === undefined) return undefined
  return {
    isView: first.isView === 't',
    mayWrite: first.mayWrite === 't',
    from: `${quoted(String(first.schema))}.${quoted(String(first.table))} AS ${ALIAS}`,
    columns: new Map(
      rows.map((row) => [String(row.column), columnOf(String(row.column), String(row.type), factsOf(row))]),
    ),
  }
}

const TEXTS = ['text', 'varchar', 'bpchar', 'citext', 'uuid', 'name', 'enum']
const INTEGERS = ['int2', 'int4', 'int8']
const ARRAYS = ['_text', '_varchar', 'json', 'jsonb']

/** The types of columns that a field of each kind can read. */
const TYPES: Record<Kind, readonly string[]> = {
  text: [...TEXTS, ...INTEGERS],
  email: TEXTS,
  url: TEXTS,
  choice: TEXTS,
  instant: ['timestamptz'],
  date: ['date'],
  integer: INTEGERS,
  decimal: ['numeric', ...INTEGERS],
  money: ['numeric', ...INTEGERS],
  boolean: ['bool'],
  texts: ARRAYS,
}

const HINTS: Record<string, string> = {
  timestamp: "it has no timezone; read a view that adds it, as in created AT TIME ZONE 'UTC'",
  float4: 'it is not exact; read a view that casts it to numeric',
  float8: 'it is not exact; read a view that casts it to numeric',
  'loose text': 'its collation finds texts equal that differ; read a view that adds COLLATE "C"',
  money: 'its form depends on settings; read a view that casts it to numeric',
}

/** In the order of preference. */
const DRAFTED: readonly Kind[] = ['boolean', 'date', 'instant', 'integer', 'decimal', 'texts', 'text']

/** As PostgreSQL prints `CHECK (status IN ('open', 'closed'))`. */
const CHECKED = /^CHECK \(\(\(?[^' ]+ = ANY \(\(?ARRAY\[([^\]]*)\]/

function factsOf({ type, filled, isKey, choices, check, comment }: RawRow): ColumnFacts {
  const kind = DRAFTED.find((each) => TYPES[each].includes(String(type)))
  const [, checked] = (kind === 'text' && CHECKED.exec(String(check))) || []
  const values = Array.isArray(choices) ? choices.map(String) : checked && literalsIn(checked)
  return {
    kind: values ? 'choice' : kind,
    isNullable: filled !== 't',
    isKey: isKey === 't',
    ...(values && { choices: values }),
    ...(typeof comment === 'string' && { comment }),
  }
}

function columnOf(name: string, type: string, facts: ColumnFacts): TableColumn {
  const sql = `${ALIAS}.${quoted(name)}`
  const isInteger = INTEGERS.includes(type)
  // An index serves these types as they are.
  const [key, cast] = isInteger
    ? [sql, 'int8']
    : type === 'uuid'
      ? [sql, 'uuid']
      : isPlainText(type)
        ? [sql, 'text']
        : [`${sql}::text`, 'text']
  const among = (left: string, type: string) => (placeholders: readonly string[]) =>
    `${left} IN (${placeholders.map((placeholder) => `${placeholder}::${type}`)})`
  return {
    type,
    facts,
    tie: { order: isPlainText(type) ? `(${key} COLLATE "C")` : key, kindOf: () => (isInteger ? 'integer' : 'text') },
    problemAs: (kind) =>
      TYPES[kind].includes(type)
        ? undefined
        : `is of the type ${type}; ${HINTS[type] ?? `${kind} needs ${TYPES[kind].join(', ')}`}`,
    equals: (text) => `${isPlainText(type) ? sql : `${sql}::text`} = ${text}`,
    ids: { mayBeOneOf: among(key, cast), parameters: (id) => (canBe(cast, id) ? [id] : []) },
    readAs: (kind) => ({
      select: sql,
      order: isSortedAsText(kind) ? `(${isPlainText(type) ? sql : `${sql}::text`} COLLATE "C")` : sql,
      compared: `${sql}::text`,
      parameter: String,
      isAfter: (placeholder) => `${sql} > to_timestamp(${placeholder}::float8 / 1000)`,
      valueOf: (raw) => valueIn(kind, type, raw),
      ...(kind === 'instant' && { sortedBy: toUtc }),
    }),
  }
}

const isPlainText = (type: string) => type === 'text' || type === 'varchar'

const isSortedAsText = (kind: Kind) => ['text', 'email', 'url', 'choice'].includes(kind)

/** Other ids would make the statement fail. */
function canBe(type: string, id: string): boolean {
  if (type === 'int8') return /^-?\d{1,19}$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id)
  return type !== 'uuid' || /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)
}

function valueIn(kind: Kind, type: string, raw: RawValue): Value | undefined {
  if (kind === 'texts') return (Array.isArray(raw) ? raw : parseJson(String(raw))) as Value | undefined
  if (kind === 'instant') return toInstant(toUtc(raw))
  const text = String(raw)
  if (kind === 'boolean') return text === 't'
  if (kind === 'integer') return Number(text)
  // PostgreSQL pads these to their length.
  return type === 'bpchar' ? text.trimEnd() : text
}

/** Turns `2026-11-15 09:00:00.1234+00` into `2026-11-15T09:00:00.1234Z`, with at least three digits as in stored instants. */
function toUtc(raw: RawValue): string {
  const [, day, time, fraction = ''] = /^(\d{4}-\d\d-\d\d) ([\d:]{8})(?:\.(\d+))?\+00$/.exec(String(raw)) ?? []
  return `${day}T${time}.${fraction.padEnd(3, '0')}Z`
}
