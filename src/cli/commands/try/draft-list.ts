import { draftDefinition } from '../../../import/draft/draft.ts'
import { listNameOf, singularOf } from '../../../import/draft/names.ts'
import { readSample, type SampleColumn } from '../../../import/draft/sample.ts'
import { columnsOfRule, fieldRuleOf, type MapFile } from '../../../import/map/schema.ts'
import { formatCount } from '../../../lib/format-count.ts'
import { UserError } from '../../../lib/user-error.ts'
import { MAX_ROWS } from '../../../lists/stored/comparison.ts'
import { definitionFaults, nameFaults } from '../../../resources/declared/check.ts'
import type { Definition } from '../../../resources/declared/definition.ts'
import type { Resource } from '../../../resources/define.ts'
import { messageOf } from '../../errors.ts'
import { chunksOf } from '../../input-file.ts'
import { questionsAbout } from './questions.ts'

export interface DraftedList {
  file: string
  definition: Definition
  map: MapFile
  /** The names of the columns, by field. */
  columns: ReadonlyMap<string, string>
  /** How ambiguous columns are read. */
  doubts: readonly string[]
  questions: readonly string[]
}

/** With a header. */
const WHOLE_FILE = { maxBytes: 256 * 1024 * 1024, maxRecords: MAX_ROWS + 1 }

/** Reads each file whole, and gives its list a name that neither the service nor an earlier file has. */
export async function draftLists(files: readonly string[], builtIn: readonly Resource[]): Promise<DraftedList[]> {
  const lists: DraftedList[] = []
  for (const file of files)
    lists.push(
      await draftList(file).catch((error) => {
        throw new UserError(`${file}: ${problemWith(file, error)}`, { cause: error })
      }),
    )
  const definitions = lists.map(({ definition }) => definition)
  for (const [index, [clash]] of nameFaults(definitions, builtIn)) {
    const { field, problem } = clash as { field: 'name' | 'singular'; problem: string }
    const name = definitions[index]?.[field]
    throw new UserError(`${files[index]}: ${name} ${problem.replace('choose another', 'rename the file')}`)
  }
  return lists
}

async function draftList(file: string): Promise<DraftedList> {
  const name = listNameOf(file)
  const sample = await readSample(chunksOf(file), name, WHOLE_FILE)
  if (sample.isCut)
    throw new UserError(`has more than ${formatCount(MAX_ROWS)} rows, the most of a list, or is larger than 256 MiB`)
  const { definition, map, doubts } = draftDefinition(sample, {
    name,
    singular: singularOf(name),
    wording: {
      state: 'published',
      description: `The ${name} of a file.`,
      id: 'The number of the row in the file, from 1.',
      field: (_, title) => `The column ${title}.`,
      tool: `Use this to find, filter and count ${name}.`,
    },
    idRule: { number: true },
  })
  const [fault] = definitionFaults(definition)
  if (fault !== undefined) throw new UserError(`${fault.field} ${fault.problem}`)
  const columnOf = (field: string): SampleColumn | undefined => {
    const [from] = columnsOfRule(fieldRuleOf(map, field) ?? {})
    return sample.columns.find((column) => column.from === from)
  }
  const columns = new Map(Object.keys(definition.fields).flatMap((field) => titled(field, columnOf(field))))
  return { file, definition, map, columns, doubts, questions: questionsAbout(definition, columnOf) }
}

const titled = (field: string, column: SampleColumn | undefined): [string, string][] =>
  column === undefined ? [] : [[field, column.title]]

/** In a line that names the file already. */
export const problemWith = (file: string, error: unknown): string =>
  messageOf(error)
    .replace(`${file}: `, '')
    .replace('nothing was synced: ', '')
    .replace(/^the file /, '')
