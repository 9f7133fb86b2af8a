import { writeFileSync } from 'node:fs'
import { parseDatabaseUrl } from '../../../database/open.ts'
import { draftDefinition } from '../../../import/draft/draft.ts'
import { singularOf } from '../../../import/draft/names.ts'
import { readSample } from '../../../import/draft/sample.ts'
import { counted } from '../../../lib/format-count.ts'
import { prefixingErrors } from '../../../lib/user-error.ts'
import { definitionFaults, nameFaults } from '../../../resources/declared/check.ts'
import type { Definition } from '../../../resources/declared/definition.ts'
import { builtInOf, type Resource } from '../../../resources/define.ts'
import { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { chunksOf } from '../../input-file.ts'
import { print, printMessage, toJson } from '../../terminal/output.ts'

interface Options {
  from: string
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
    .option('--write-map <file>', 'where to write the map, if an import of the sample needs one')
    .notes(HELP)
    .examples(
      'resource new orders --from orders.csv > resources/orders.json',
      'resource new orders --from sqlite:shop.db --table orders > resources/orders.json',
      'resource new people --from people.json --write-map people.map.json > resources/people.json',
    )
    .action(async (name: string, { from, writeMap, table }: Options) => {
      const names = { name, singular: singularOf(name) }
      const drafted = table === undefined ? await draftFile(from, names) : await draftTable(from, { ...names, table })
      checkName(drafted.definition, builtInOf(resources))
      if (drafted.map !== undefined && writeMap !== undefined) writeNew(writeMap, drafted.map)
      print(toJson(drafted.definition, 2))
      const { definition, notes } = drafted
      printMessage(
        `Drafted ${name} with ${counted(Object.keys(definition.fields).length, 'field')} from ${drafted.from}.`,
      )
      for (const note of notes) printMessage(`- ${note}`)
      for (const { field, problem } of definitionFaults(definition)) printMessage(`- to correct: ${field} ${problem}`)
      if (drafted.map !== undefined && writeMap === undefined)
        printMessage('- to import the sample, a map is needed: add --write-map FILE')
      printMessage("Next: correct the definition, and check it with 'vitrine resource check'.")
    })

interface DraftedNames {
  name: string
  singular: string
}

async function draftFile(from: string, names: DraftedNames) {
  const sample = await readSample(chunksOf(from), names.name)
  const { definition, notes, needsMap, map } = draftDefinition(sample, names)
  const read = `${sample.isCut ? 'the first ' : ''}${counted(sample.raw.length, 'record')}`
  return { definition, notes, from: read, map: needsMap ? map : undefined }
}

async function draftTable(from: string, names: DraftedNames & { table: string }) {
  const { tableDatabases } = await import('../../../database/in-place/open.ts')
  const { draftFromTable } = await import('../../../import/draft/table.ts')
  const open = tableDatabases((option) => prefixingErrors(`${option}: `, () => parseDatabaseUrl(from), UsageError))
  const { definition, notes } = await draftFromTable(await open('--from'), names)
  const setting = `set ${definition.rows?.database} to the address of the database`
  return { definition, notes: [...notes, setting], from: `the table ${names.table}`, map: undefined }
}

/** The operator gave it, so there is nothing to correct later. */
function checkName(definition: Definition, builtIn: readonly Resource[]): void {
  const faults = [...definitionFaults(definition), ...(nameFaults([definition], builtIn).get(0) ?? [])]
  const fault = faults.find(({ field }) => field === 'name')
  if (fault !== undefined) throw new UsageError(`<name>: ${definition.name} ${fault.problem}`)
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
