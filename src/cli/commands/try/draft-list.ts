import type { TableDatabase } from '../../../database/in-place/table-database.ts'
import { draftDefinition, MAX_SORTED, type Wording, withinBounds } from '../../../import/draft/draft.ts'
import { listNameOf, singularOf } from '../../../import/draft/names.ts'
import { readSample, type SampleColumn } from '../../../import/draft/sample.ts'
import { draftFromTable } from '../../../import/draft/table.ts'
import { columnsOfRule, fieldRuleOf, fieldRulesOf, type MapFile } from '../../../import/map/schema.ts'
import type { Fault } from '../../../lib/fault.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { UserError } from '../../../lib/user-error.ts'
import { MAX_ROWS } from '../../../lists/stored/comparison.ts'
import { definitionFaults, nameFaults } from '../../../resources/declared/check.ts'
import type { Definition, FieldDefinition } from '../../../resources/declared/definition.ts'
import type { Resource } from '../../../resources/define.ts'
import { messageOf } from '../../errors.ts'
import { chunksOf } from '../../input-file.ts'
import { questionsAbout } from './questions.ts'

export interface DraftedList {
  /** The file or the table, as it was named. */
  source: string
  definition: Definition
  /** The names of the columns, by field. */
  columns: ReadonlyMap<string, string>
  /** What was left out, and how ambiguous columns are read. */
  doubts: readonly string[]
  questions: readonly string[]
  /** Undefined for a table, which is read in place. */
  map?: MapFile
}

export interface DraftedFile extends DraftedList {
  map: MapFile
}

/** With a header. */
const WHOLE_FILE = { maxBytes: 256 * 1024 * 1024, maxRecords: MAX_ROWS + 1 }

/** Each gets a list with a name that neither the service nor an earlier one has. */
export async function draftLists(
  sources: readonly string[],
  draft: (source: string) => Promise<DraftedList>,
  builtIn: readonly Resource[],
): Promise<DraftedList[]> {
  const lists: DraftedList[] = []
  for (const source of sources)
    lists.push(
      await draft(source).catch((error) => {
        throw new UserError(`${source}: ${problemWith(source, error)}`, { cause: error })
      }),
    )
  const definitions = lists.map(({ definition }) => definition)
  for (const [index, [clash]] of nameFaults(definitions, builtIn)) {
    const { definition, map } = lists[index] as DraftedList
    throw new UserError(`${sources[index]}: ${inWords(definition, clash as Fault, map ? 'file' : 'table')}`)
  }
  return lists
}

/** Reads the whole file. */
export async function draftFile(file: string): Promise<DraftedFile> {
  const name = listNameOf(file)
  const sample = await readSample(chunksOf(file), name, WHOLE_FILE)
  if (sample.isCut)
    throw new UserError(`has more than ${formatCount(MAX_ROWS)} rows, the most of a list, or is larger than 256 MiB`)
  const { definition, map, doubts } = draftDefinition(sample, {
    ...{ name, singular: singularOf(name), wording: wordingFor(name, 'file'), idRule: { number: true } },
  })
  const columnOf = (field: string): SampleColumn | undefined => {
    const [from] = columnsOfRule(fieldRuleOf(map, field) ?? {})
    return sample.columns.find((column) => column.from === from)
  }
  return { source: file, map: withAllColumns(map), ...described(withRoom(definition), 'file', columnOf), doubts }
}

/** An edit may bring empty cells, longer texts and further values of a choice, which becomes a text. */
function withRoom(definition: Definition): Definition {
  const { fields, order = [], filters = [] } = definition
  const sorted = new Set([...order, ...filters])
  const { id, ...others } = fields
  const roomy = Object.entries(others).map(([name, field]) => [name, fieldWithRoom(field, sorted.has(name))])
  return withinBounds({ ...definition, fields: { id, ...Object.fromEntries(roomy) } })
}

function fieldWithRoom({ values, ...drafted }: FieldDefinition, isSorted: boolean): FieldDefinition {
  const field = { ...drafted, nullable: true }
  const { type, maxLength = 0, description } = field
  if (type === 'choice') {
    const examples = values?.slice(0, 5).join(', ')
    return { ...field, type: 'text', maxLength: MAX_SORTED, description: `${description} For example: ${examples}.` }
  }
  if (type === 'text') return { ...field, maxLength: isSorted ? MAX_SORTED : Math.max(maxLength, 1000) }
  return type === 'texts' ? { ...field, maxLength: Math.max(maxLength, MAX_SORTED) } : field
}

/** Or else a column that an edit renames would be empty from then on. Members of JSON objects may be left out. */
function withAllColumns(map: MapFile): MapFile {
  if (map.format === 'json') return map
  const rules = fieldRulesOf(map).map(({ field, rule }) => [field, rule.number ? rule : { ...rule, required: true }])
  return { ...map, fields: Object.fromEntries(rules) }
}

/** Without the schema. */
export const listNameOfTable = (table: string): string => listNameOf(table.slice(table.indexOf('.') + 1))

/** All rows belong to the workspace. */
export async function draftTable(table: string, database: TableDatabase, workspace: string): Promise<DraftedList> {
  const name = listNameOfTable(table)
  const { definition, columns, doubts } = await draftFromTable(database, {
    ...{ name, singular: singularOf(name), table, wording: wordingFor(name, 'table') },
    rows: { database: TABLES_SETTING, workspace },
  })
  return { source: table, ...described(definition, 'table', (field) => columns.get(field)), doubts }
}

/** Has the address of the database whose tables are tried. */
export const TABLES_SETTING = 'TRIED_DATABASE_URL'

type SourceKind = 'file' | 'table'

const wordingFor = (name: string, source: SourceKind): Wording => ({
  state: 'published',
  description: `The ${name} of a ${source}.`,
  id: 'The number of the row in the file, from 1.',
  field: (_, title) => `The column ${title}.`,
  tool: `Use this to find, filter and count ${name}.`,
})

function described(definition: Definition, source: SourceKind, columnOf: (field: string) => SampleColumn | undefined) {
  const [fault] = definitionFaults(definition)
  if (fault !== undefined) throw new UserError(inWords(definition, fault, source))
  const columns = new Map(Object.keys(definition.fields).flatMap((field) => titled(field, columnOf(field))))
  return { definition, columns, questions: questionsAbout(definition, columnOf) }
}

const titled = (field: string, column: SampleColumn | undefined): [string, string][] =>
  column === undefined ? [] : [[field, column.title]]

const ADVICE = { file: 'rename the file', table: 'name a view with another name' }

/** The names follow from the source, so only another source can change them. */
const inWords = (definition: Definition, { field, problem }: Fault, source: SourceKind): string =>
  field === 'name' || field === 'singular'
    ? `${definition[field]} ${problem.replace('choose another', ADVICE[source])}`
    : `${field} ${problem}`

/** In a line that names the file or table already. */
export const problemWith = (source: string, error: unknown): string =>
  messageOf(error)
    .replace(`${source}: `, '')
    .replace('--table: ', '')
    .replace(`in ${TABLES_SETTING}`, 'given')
    .replace('nothing was synced: ', '')
    .replace(/^the file /, '')
