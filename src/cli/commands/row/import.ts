import { Help } from 'commander'
import { importedColumns, type Table } from '../../../database/table.ts'
import { type ImportCounts, importRecords } from '../../../import/import-records.ts'
import { counted, formatCount } from '../../../lib/format-count.ts'
import { isRequired } from '../../../lists/column.ts'
import { Command } from '../../command.ts'
import { actor, type Context } from '../../context.ts'
import { firstFile, MAP_OPTION, mapFor, withRecordListener } from '../../input-file.ts'
import { printResult } from '../../terminal/output.ts'

export const importCommand = ({ withStore }: Context, table: Table, path: string) =>
  new Command('import')
    .description(`import ${table.name} into a workspace: the whole file, or nothing if any record is bad`)
    .argument('<file...>', 'NDJSON, JSON or CSV, also as .gz, detected automatically; - reads stdin')
    .requiredOption('--workspace <slug>', 'the workspace')
    .option(...MAP_OPTION)
    .notes(() => help(table, path))
    .withResult(async (files: string[], { workspace, map: mapName }: { workspace: string; map?: string }) => {
      const map = await mapFor(mapName, table)
      const counts = await withRecordListener('reading', (listener) =>
        withStore((store) => {
          const context = { store, table, actor: actor(), ...listener }
          return importRecords(context, workspace, firstFile(files), map)
        }),
      )
      printResult(counts, summary(table, workspace, counts))
    })

function help(table: Table, path: string): string {
  const { name, singular } = table
  const columns = importedColumns(table)
  const added = columns
    .filter(({ isPublished }) => !isPublished)
    .map(({ field, choices }) => (choices === undefined ? field : `${field} (${choices.join(', ')})`))
  const required = columns.filter(isRequired).map(({ field }) => field)
  const defaults = columns.flatMap((column) =>
    column.default === undefined ? [] : `, and the ${column.field} is ${column.default}`,
  )
  const words = `A record has the fields of a ${singular} in the response to 'GET ${path}'${added.length === 0 ? '' : `, and may also have ${listed(added)}`}. Only
    ${listed(required)} ${required.length === 1 ? 'is' : 'are'} required. It replaces the whole ${singular} with its id: fields that
    are left out or null are cleared${defaults.join('')}. A CSV file starts with a row of field names. A JSON record
    {"id": "…", "deleted": true} deletes its ${singular}. A ${singular} that already matches its record is not written.`
  return `
${new Help().boxWrap(words.replace(/\s+/g, ' '), 115)}

Examples:
  vitrine ${singular} import --workspace northwind ${name}.ndjson
  export-${name} | vitrine ${singular} import --workspace northwind -`
}

const listed = (names: readonly string[]): string => new Intl.ListFormat('en-GB').format(names)

function summary({ name, singular }: Table, workspace: string, counts: ImportCounts): string {
  const { created, replaced, deleted, unchanged } = counts
  const total = created + replaced + deleted + unchanged
  if (total === 0) return `Imported 0 ${name} into ${workspace}: the file has no records.`
  const parts = [
    `${formatCount(created)} new`,
    `${formatCount(replaced)} replaced`,
    ...(deleted === 0 ? [] : [`${formatCount(deleted)} deleted`]),
    ...(unchanged === 0 ? [] : [`${formatCount(unchanged)} unchanged`]),
  ]
  return `Imported ${counted(total, singular, name)} into ${workspace}: ${parts.join(', ')}.`
}
