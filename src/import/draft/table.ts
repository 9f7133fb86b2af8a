import type { RawValue, Table, TableColumn, TableDatabase } from '../../database/in-place/table-database.ts'
import { columnOf } from '../../database/statements.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Kind, Value } from '../../lists/column.ts'
import { fieldsOf, type RowsInPlace } from '../../lists/definition.ts'
import { problemsOf } from '../../lists/in-place/binding.ts'
import { compileColumns, compileDefinition } from '../../resources/declared/compile.ts'
import type { Definition, FieldDefinition } from '../../resources/declared/definition.ts'
import { textsOf } from '../map/values.ts'
import { type ColumnType, columnTypeOf, MAX_TEXT, maxLengthFor } from './column-type.ts'
import { type DraftedField, HIDDEN, MAX_SORTED, placeholders, shapeOf, type Wording, withinBounds } from './draft.ts'
import { nameFields, wordsOf } from './names.ts'

interface Options {
  name: string
  singular: string
  table: string
  rows?: Pick<RowsInPlace, 'database' | 'workspace'>
  wording?: Wording
}

type SampledColumn = [name: string, column: TableColumn, values: readonly RawValue[]]

/** A definition that reads the table in place, as its catalogue and a sample of its rows suggest. Its example is made up. */
export async function draftFromTable(database: TableDatabase, { name, singular, table, ...options }: Options) {
  const { rows = { database: `${name.toUpperCase()}_DATABASE_URL`, workspace: WORKSPACE } } = options
  const { wording = placeholders(name) } = options
  const described = await database.describe(table)
  if (described === undefined) throw new UserError(`--table: there is no table or view ${table} that the role can find`)
  const sampled = await sampleOf(database, described)
  const id = sampled.find(([, { facts }]) => facts.isKey) ?? sampled.find(([column]) => column === 'id')
  if (id === undefined)
    throw new UserError(
      `--table: ${table} has neither a primary key of one column nor a column id; name a view that has one`,
    )
  const leftOut: string[] = []
  const typed = sampled.flatMap((each) => {
    const [column, { facts, problemAs }] = each
    const found = (each === id ? ['text' as const] : kindsFor(each)).values().map((kind) => typeAs(kind, each))
    const type = found.find((one) => one !== undefined)
    if (type === undefined)
      leftOut.push(
        `left out: the column ${column} ${facts.kind === undefined ? problemAs('text') : 'has values that no field can have'}`,
      )
    return type === undefined ? [] : [{ ...type, title: column, from: column, facts, isId: each === id }]
  })
  const names = nameFields(
    typed.map(({ title }) => title),
    singular,
    typed.findIndex(({ isId }) => isId),
  )
  if (!names.includes('id')) throw new UserError(`--table: ${id[0]} of ${table} has values that no id can have`)
  const fields = typed
    .map(({ facts, ...each }, i): DraftedField & { comment: string | undefined } => ({
      ...each,
      name: names[i] as string,
      texts: each.values.flatMap((value) => (Array.isArray(value) ? [] : textsOf(value))),
      words: wordsOf(each.title),
      isNullable: facts.isNullable,
      comment: facts.comment?.replace(HIDDEN, ' ').trim().slice(0, 500),
    }))
    .sort((a, b) => Number(b.name === 'id') - Number(a.name === 'id'))
  const renamed = fields.filter((each) => columnOf(each.name) !== each.title)
  const comments = new Map(fields.map((each) => [each.name, each.comment]))
  const {
    order: _,
    filters = [],
    ...shape
  } = shapeOf(fields, {
    ...wording,
    field: (field, title) => comments.get(field) || wording.field(field, title),
  })
  const dates = fields.filter(({ field }) => field.type === 'date' || field.type === 'instant').map((each) => each.name)
  const definition: Definition = {
    ...{ name, singular, state: wording.state, ...shape, fields: withRoom(shape.fields, filters) },
    rows: {
      ...{ table, ...rows },
      ...(renamed.length > 0 && { columns: Object.fromEntries(renamed.map((each) => [each.name, each.title])) }),
    },
    filters: [...new Set([...filters, ...dates])].slice(0, 10),
    example: Object.fromEntries(fields.map((each) => [each.name, exampleOf(each)])),
  }
  const order = await servedOrder(database, definition, dates)
  return {
    definition: withinBounds({ ...definition, ...(order !== undefined && { order: [order] }) }),
    /** The columns by field. */
    columns: new Map(fields.map((each) => [each.name, each])),
    doubts: leftOut,
    notes: [
      ...leftOut,
      `rows.workspace: replace ${WORKSPACE} by the slug of the workspace that all rows belong to, or name the column with it in workspaceColumn`,
      ...(order === undefined
        ? ['order: no index has the rows in the order of a date, so they are in the order of their ids']
        : []),
    ],
  }
}

/**
 * Rows beyond the sample may have longer texts. Those with repeated values stay short enough to be counted by. The rest share what a
 * response may take: see resources/declared/check.ts.
 */
function withRoom(fields: Definition['fields'], filters: readonly string[]): Definition['fields'] {
  const isText = ({ type }: FieldDefinition) => type === 'text'
  const room = Math.floor(ALL_TEXTS / Object.values(fields).filter(isText).length)
  const roomy = ([name, field]: [string, FieldDefinition]) => {
    const most = name === 'id' ? LONGEST_ID : filters.includes(name) ? MAX_SORTED : Math.min(room, MAX_TEXT)
    return [name, isText(field) ? { ...field, maxLength: Math.max(field.maxLength ?? 0, most) } : field]
  }
  return Object.fromEntries(Object.entries(fields).map(roomy))
}

/** In characters: 100 rows of texts of this length take most of the largest response. */
const ALL_TEXTS = 40_000
const LONGEST_ID = 500

const WORKSPACE = 'SLUG'
const MAX_SAMPLED = 1000

async function sampleOf(database: TableDatabase, { from, columns }: Table): Promise<SampledColumn[]> {
  const all = [...columns]
  const selected = all.flatMap(([, { facts, readAs }], i) =>
    facts.kind === undefined ? [] : [`${readAs(facts.kind).select} AS f${i}`],
  )
  const rows =
    selected.length === 0 ? [] : await database.rows('', `SELECT ${selected} FROM ${from} LIMIT ${MAX_SAMPLED}`, [])
  return all.map(([name, column], i) => [name, column, rows.map((row) => row[`f${i}`] ?? null)])
}

/** In the order of preference. A text of SQLite may be a date. */
function kindsFor([title, { facts }, values]: SampledColumn): Kind[] {
  if (facts.kind === undefined) return []
  const texts = values.filter((value) => typeof value === 'string')
  const { field, rule } = columnTypeOf({ title, from: title, values: texts, texts, words: [] }, true)
  const isTime = (field.type === 'date' || field.type === 'instant') && Object.keys(rule).length === 0
  return [...(facts.kind === 'text' && isTime ? [field.type] : []), facts.kind, 'text']
}

/** Undefined if the column, or a value of the sample, does not fit. */
function typeAs(kind: Kind, [, { facts, problemAs, readAs }, raw]: SampledColumn) {
  if (problemAs(kind) !== undefined) return undefined
  const reader = readAs(kind)
  const values = raw.map((each) => (each === null ? null : reader.valueOf(each)))
  const lists = values.filter(Array.isArray)
  const field: ColumnType['field'] = {
    type: kind,
    ...(kind === 'text' && { maxLength: maxLengthFor(values.filter((value) => typeof value === 'string')) }),
    ...(kind === 'texts' && { maxLength: maxLengthFor(lists.flat().map(String)), maxItems: 100 }),
    ...(kind === 'choice' && { values: [...(facts.choices ?? [])] }),
  }
  const [column] = fieldsOf(compileColumns({ fields: { id: { ...field, nullable: true, description: '' } } }))
  const problemOf = column && problemsOf(column)
  return values.every((value): value is Value => value !== undefined && problemOf?.(value) === undefined)
    ? { field, rule: {}, values }
    : undefined
}

/** The first date by which an index has the rows in order. */
async function servedOrder(
  database: TableDatabase,
  definition: Definition,
  dates: readonly string[],
): Promise<string | undefined> {
  for (const date of dates) {
    const { inPlace } = compileDefinition({ ...definition, order: [date] }, '', async () => database)
    const { warnings = [] } = (await inPlace?.examine()) ?? {}
    if (warnings.every(({ field }) => field !== 'table')) return date
  }
  return undefined
}

const EXAMPLES: Partial<Record<Kind, Value>> = {
  instant: '2026-11-20T09:00:00.000Z',
  date: '2026-11-20',
  integer: 1,
  decimal: '1.50',
  boolean: false,
  texts: [],
}

const exampleOf = ({ name, field: { type, values } }: DraftedField): Value =>
  name === 'id' ? '1' : type === 'choice' ? (values?.[0] ?? '') : (EXAMPLES[type] ?? 'Example')
