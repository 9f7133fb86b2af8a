import type { ColumnFacts, TableColumn, TableDatabase } from '../../database/in-place/table-database.ts'
import { columnOf } from '../../database/statements.ts'
import { defined } from '../../lib/defined.ts'
import { UserError } from '../../lib/user-error.ts'
import type { Kind, Value } from '../../lists/column.ts'
import { PLACEHOLDER } from '../../resources/declared/advice.ts'
import { compileDefinition } from '../../resources/declared/compile.ts'
import type { Definition, FieldDefinition } from '../../resources/declared/definition.ts'
import { HIDDEN, LABEL, withinBounds } from './draft.ts'
import { nameFields, wordsOf } from './names.ts'

interface Options {
  name: string
  singular: string
  table: string
}

interface DraftedColumn {
  column: string
  name: string
  kind: Kind
  facts: ColumnFacts
}

/** Of rows, only lengths of texts are read, and none is shown: examples are made up. */
const MAX_SAMPLED = 1000

/** A definition that reads the table in place, as its catalogue suggests. */
export async function draftFromTable(database: TableDatabase, { name, singular, table }: Options) {
  const described = await database.describe(table)
  if (described === undefined) throw new UserError(`--table: there is no table or view ${table} that the role can find`)
  const all = [...described.columns]
  const readable = all.filter(([, { facts }]) => facts.kind !== undefined)
  const keyAt = readable.findIndex(([, { facts }]) => facts.isKey)
  const idAt = keyAt < 0 ? readable.findIndex(([column]) => column === 'id') : keyAt
  if (idAt < 0)
    throw new UserError(
      `--table: ${table} has neither a primary key of one column nor a column id; name a view that has one`,
    )
  const names = nameFields(
    readable.map(([column]) => column),
    singular,
    idAt,
  )
  const columns = readable
    .map(([column, { facts }], i): DraftedColumn => {
      const field = names[i] as string
      return { column, name: field, facts, kind: field === 'id' ? 'text' : (facts.kind as Kind) }
    })
    .sort((a, b) => Number(b.name === 'id') - Number(a.name === 'id'))
  const lengths = await longestTexts(database, described.from, columns, described.columns)
  const fields = Object.fromEntries(columns.map((each) => [each.name, fieldOf(each, lengths.get(each.name) ?? 0)]))
  const ofKind = (...kinds: Kind[]) =>
    columns.filter((each) => each.name !== 'id' && kinds.includes(each.kind)).map((each) => each.name)
  const label = ofKind('text').find((field) => LABEL.test(wordsOf(field).at(-1) ?? ''))
  const renamed = columns.filter((each) => columnOf(each.name) !== each.column)
  const shape: Definition = {
    name,
    singular,
    state: 'draft',
    description: `${PLACEHOLDER}${name}: what the list contains.`,
    fields,
    rows: {
      database: `${name.toUpperCase()}_DATABASE_URL`,
      table,
      workspace: WORKSPACE,
      ...(renamed.length > 0 && { columns: Object.fromEntries(renamed.map((each) => [each.name, each.column])) }),
    },
    filters: ofKind('choice', 'boolean').slice(0, 10),
    search: ofKind('text').slice(0, 5),
    ...defined({ label }),
    tool: { description: `${PLACEHOLDER}when to list ${name}.` },
    example: Object.fromEntries(columns.map((each) => [each.name, exampleOf(each)])),
  }
  const order = await servedOrder(database, shape, ofKind('instant', 'date'))
  return {
    definition: withinBounds({ ...shape, ...(order !== undefined && { order: [order] }) }),
    notes: [
      ...all
        .filter(([, { facts }]) => facts.kind === undefined)
        .map(([column, each]) => `left out: the column ${column} ${each.problemAs('text')}`),
      `rows.workspace: replace ${WORKSPACE} by the slug of the workspace that all rows belong to, or name the column with it in workspaceColumn`,
      ...(order === undefined
        ? ['order: no index has the rows in the order of a date, so they are in the order of their ids']
        : []),
    ],
  }
}

const WORKSPACE = 'SLUG'

/** The first date by which an index has the rows in order. */
async function servedOrder(
  database: TableDatabase,
  shape: Definition,
  dates: readonly string[],
): Promise<string | undefined> {
  for (const date of dates) {
    const { inPlace } = compileDefinition({ ...shape, order: [date] }, '', async () => database)
    const { warnings = [] } = (await inPlace?.examine()) ?? {}
    if (warnings.every(({ field }) => field !== 'table')) return date
  }
  return undefined
}

/** In characters, by field. */
async function longestTexts(
  database: TableDatabase,
  from: string,
  columns: readonly DraftedColumn[],
  known: ReadonlyMap<string, TableColumn>,
) {
  const texts = columns.filter(({ kind }) => kind === 'text' || kind === 'texts')
  const selected = texts.map(({ column, kind }, i) => `${known.get(column)?.readAs(kind).select} AS f${i}`)
  const rows = await database.rows('', `SELECT ${selected} FROM ${from} LIMIT ${MAX_SAMPLED}`, [])
  const lengthOf = (value: unknown): number =>
    Math.max(0, ...[value ?? ''].flat().map((text) => [...String(text)].length))
  return new Map(texts.map(({ name }, i) => [name, Math.max(0, ...rows.map((row) => lengthOf(row[`f${i}`])))]))
}

const LENGTHS = [50, 100, 200, 500, 1000, 2000, 5000, 10_000]

function fieldOf({ name, kind, facts, column }: DraftedColumn, longest: number): FieldDefinition {
  const { isNullable, choices, comment } = facts
  const maxLength = LENGTHS.find((length) => length >= (name === 'id' ? longest : 2 * longest)) ?? 10_000
  const description = comment?.replace(HIDDEN, ' ').trim().slice(0, 500)
  return {
    type: kind,
    ...((kind === 'text' || kind === 'texts') && { maxLength: Math.max(100, maxLength) }),
    ...(kind === 'choice' && choices !== undefined && { values: [...choices] }),
    ...(isNullable && name !== 'id' && { nullable: true }),
    description: description || `${PLACEHOLDER}${name}${columnOf(name) === column ? '' : ` (${column} in the table)`}.`,
  }
}

const EXAMPLES: Partial<Record<Kind, Value>> = {
  instant: '2026-11-20T09:00:00.000Z',
  date: '2026-11-20',
  integer: 1,
  decimal: '1.50',
  boolean: false,
  texts: [],
}

const exampleOf = ({ name, kind, facts }: DraftedColumn): Value =>
  name === 'id' ? '1' : kind === 'choice' ? (facts.choices?.[0] ?? '') : (EXAMPLES[kind] ?? 'Example')
