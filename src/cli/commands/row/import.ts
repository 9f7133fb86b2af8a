import { Help } from 'commander'
import { type ImportCounts, importRecords } from '../../../import/import-records.ts'
import { counted, formatCount } from '../../../lib/format-count.ts'
import { isRequired } from '../../../lists/column.ts'
import type { List } from '../../../lists/definition.ts'
import { Command } from '../../command.ts'
import { actor, type Context } from '../../context.ts'
import { firstFile, MAP_OPTION, mapFor, withRecordListener } from '../../input-file.ts'
import { printMessage, printResult } from '../../terminal/output.ts'

export const importCommand = ({ withStore }: Context, list: List, path: string) =>
  new Command('import')
    .description(`import ${list.name} into a workspace: the whole file, or nothing if any record is bad`)
    .argument('<file...>', 'NDJSON, JSON or CSV, also as .gz, detected automatically; - reads stdin')
    .requiredOption('--workspace <slug>', 'the workspace')
    .option(...MAP_OPTION)
    .notes(() => help(list, path))
    .withResult(async (files: string[], { workspace, map: mapName }: { workspace: string; map?: string }) => {
      const map = await mapFor(mapName, list)
      const report = map && new (await import('../../../import/map/report.ts')).MapReport()
      const counts = await withRecordListener((listener) =>
        withStore((store) => {
          const context = { store, list, actor: actor(), ...listener }
          return importRecords(context, workspace, firstFile(files), map, report)
        }),
      )
      for (const line of (map && report?.defaults(map.name)) ?? []) printMessage(line)
      printResult(counts, summary(list, workspace, counts))
    })

function help({ name, singular, fields }: List, path: string): string {
  const added = fields
    .filter(({ isPublished }) => !isPublished)
    .map(({ name, choices }) => (choices === undefined ? name : `${name} (${choices.join(', ')})`))
  const required = fields.filter(isRequired).map((field) => field.name)
  const defaults = fields.flatMap((field) =>
    field.default === undefined ? [] : `, and the ${field.name} is ${field.default}`,
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

function summary({ name, singular }: List, workspace: string, counts: ImportCounts): string {
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
