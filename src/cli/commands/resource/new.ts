import { writeFileSync } from 'node:fs'
import { parseDatabaseUrl } from '../../../database/open.ts'
import { type Draft, draftDefinition } from '../../../import/draft/draft.ts'
import { singularOf } from '../../../import/draft/names.ts'
import { type FileSample, readSample } from '../../../import/draft/sample.ts'
import { counted } from '../../../lib/format-count.ts'
import { prefixingErrors } from '../../../lib/user-error.ts'
import { definitionFaults, nameFaults } from '../../../resources/declared/check.ts'
import type { Definition } from '../../../resources/declared/definition.ts'
import { builtInOf, type Resource } from '../../../resources/define.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { chunksOf } from '../../input-file.ts'
import { print, printMessage, program, toJson } from '../../terminal/output.ts'

interface Options {
  from: string
  singular?: string
  writeMap?: string
  table?: string
}

const HELP = `
It prints a definition to correct: types, lengths, order and filters as the sample suggests, and descriptions to fill in.
A field is nullable if a record of the sample has no value for it.
If an import needs a map to read the sample, --write-map writes it.
From a table, it drafts a list that is read in place, as the database's catalogue suggests; the example is made up.`

export const draft = ({ resources }: Context) =>
  new Command('new', "draft a resource's definition from a CSV or JSON sample, or from a table")
    .argument('<name>', 'the plural: its path, and the member of its response')
    .requiredOption(
      '--from <file>',
      'a sample in CSV, JSON or NDJSON, detected automatically; - reads stdin; or with --table a database, postgres://… or sqlite:PATH',
    )
    .option('--table <name>', 'a table or view to read in place')
    .option('--singular <name>', 'what one row is called (default: from the plural)')
    .option('--write-map <file>', 'where to write the map, if an import of the sample needs one')
    .notes(HELP)
    .examples(
      'resource new orders --from orders.csv > resources/orders.json',
      'resource new orders --from sqlite:shop.db --table orders > resources/orders.json',
      'resource new people --singular person --from people.json --write-map people.map.json > resources/people.json',
    )
    .action(async (name: string, { from, singular = singularOf(name), writeMap: mapFile, table }: Options) => {
      if (table !== undefined) return draftTable({ name, singular, table }, from, builtInOf(resources))
      const sample = await readSample(chunksOf(from), name)
      const drafted = draftDefinition(sample, { name, singular })
      checkNames(drafted.definition, builtInOf(resources))
      if (drafted.needsMap && mapFile !== undefined) writeNew(mapFile, drafted.map)
      print(toJson(drafted.definition, 2))
      for (const line of summaryOf(sample, drafted, { from, mapFile })) printMessage(line)
    })

async function draftTable(
  list: { name: string; singular: string; table: string },
  from: string,
  builtIn: readonly Resource[],
) {
  const { tableDatabases } = await import('../../../database/in-place/open.ts')
  const { draftFromTable } = await import('../../../import/draft/table.ts')
  const open = tableDatabases((option) => prefixingErrors(`${option}: `, () => parseDatabaseUrl(from), UsageError))
  const { definition, notes } = await draftFromTable(await open('--from'), list)
  checkNames(definition, builtIn)
  print(toJson(definition, 2))
  const count = counted(Object.keys(definition.fields).length, 'field')
  printMessage(`Drafted ${list.name} with ${count} from the table ${list.table}, which is read in place.`)
  for (const note of notes) printMessage(`- ${note}`)
  for (const { field, problem } of definitionFaults(definition)) printMessage(`- to correct: ${field} ${problem}`)
  printMessage(
    `Next: correct the definition, set ${definition.rows?.database} to the address of the database, and check both with 'vitrine resource check'.`,
  )
}

/** The operator gave these names, so there is nothing to correct later. */
function checkNames(definition: Definition, builtIn: readonly Resource[]): void {
  const faults = [...definitionFaults(definition), ...(nameFaults([definition], builtIn).get(0) ?? [])]
  for (const { field, problem } of faults)
    if (field === 'name' || field === 'singular')
      throw new UsageError(`${field === 'name' ? '<name>' : '--singular'}: ${definition[field]} ${problem}`)
}

/** An existing map may have been corrected by hand. */
function writeNew(file: string, map: object): void {
  try {
    writeFileSync(file, `${JSON.stringify(map, null, 2)}\n`, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`--write-map: ${file} already exists; choose another name, or remove it`)
    throw error
  }
}

function* summaryOf(
  { raw, isCut }: FileSample,
  { definition, needsMap, notes }: Draft,
  { from, mapFile }: { from: string; mapFile: string | undefined },
): Generator<string> {
  const { name, singular, fields } = definition
  const read = counted(raw.length, 'record')
  yield `Drafted ${name} with ${counted(Object.keys(fields).length, 'field')} from ${isCut ? `the first ${read}` : read}.`
  for (const note of notes) yield `- ${note}`
  for (const { field, problem } of definitionFaults(definition)) yield `- to correct: ${field} ${problem}`
  const suggested = mapFile ?? `${name}.map.json`
  if (!needsMap) yield `The sample can be imported as it is${mapFile === undefined ? '' : '; no map was written'}.`
  else if (mapFile === undefined)
    yield `The sample needs a map to be imported: add --write-map ${suggested} to write it.`
  else yield `Wrote the map ${mapFile}, with which the sample can be imported.`
  // Without a dot or a slash, it would be the name of a built-in map.
  const option = !needsMap ? '' : ` --map ${/[./]/.test(suggested) ? suggested : `./${suggested}`}`
  yield `Next: correct the definition, check it with 'vitrine resource check', record it with 'vitrine migrate', and fill it:`
  yield `  ${program} ${singular} import --workspace SLUG${option} ${from}`
}
