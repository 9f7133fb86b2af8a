import { readSyncCredentials } from '../config.ts'
import { importedColumns, type Table } from '../database/table.ts'
import { parseSourceUrl, shownUrl } from '../import/source-url.ts'
import { checkSourceName } from '../import/sources.ts'
import { parseMaxGone, type SyncCounts, TooManyRemovalsError } from '../import/sync-records.ts'
import { counted, formatCount } from '../lib/format-count.ts'
import { redactTokens } from '../lib/redact.ts'
import { Command } from './command.ts'
import { type Context, isoNow } from './context.ts'
import { UsageError } from './errors.ts'
import { MAP_OPTION, mapFor, recordListener } from './input-file.ts'
import { warnOfMisspelt } from './misspelt-settings.ts'
import { printJson, printMessage, printResult, sanitize } from './output.ts'
import { withProgress } from './progress.ts'
import { attemptSync, parseInterval, type SyncRequest, syncEvery } from './sync-attempts.ts'

interface Options {
  workspace: string
  source: string
  map?: string
  maxGone?: string
  allowEmpty?: true
  allowMissing?: string
  dryRun?: true
  every?: string
  json?: true
}

export const syncCommand = (context: Context, table: Table) =>
  new Command('sync')
    .description(`make the ${table.name} of a source match its snapshot, all or nothing`)
    .argument('<file>', 'the complete snapshot, a file or a URL: NDJSON, JSON or CSV; - reads stdin')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--source <name>', `its name; other sources and imported ${table.name} are not touched`)
    .option(...MAP_OPTION)
    .option('--max-gone <number>', `limit of removals, such as 500 or 50% (default: 20%, but at least 10)`)
    .option('--allow-empty', `accept a snapshot without ${table.name}; --max-gone still applies`)
    .option(
      '--allow-missing <fields>',
      `accept a snapshot without these fields, such as ${exampleField(table)}, though most ${table.name} have them`,
    )
    .option('--dry-run', 'show what would change and how the map reads the file, without writing anything')
    .option('--every <interval>', 'repeat the sync until stopped, such as 5m or 1h')
    .option('--json', `print how many ${table.name} were created, changed, gone and unchanged, as JSON`)
    .notes(() => help(table))
    .action(async (file: string, options: Options) => {
      const request = { ...syncRequest(file, table, options), map: await mapFor(options.map, table) }
      const { everySeconds } = request
      if (everySeconds === undefined) return syncOnce(context, table, request, options)
      return syncEvery(context, table, { ...request, everySeconds }, (counts, isNews) => {
        if (options.json) printJson(counts)
        else if (isNews) printMessage(`${isoNow()} ${summary(table, options, counts)}`)
      })
    })

const optionalFields = (table: Table) =>
  importedColumns(table)
    .filter(({ isNullable }) => isNullable)
    .map(({ field }) => field)

const exampleField = (table: Table) => optionalFields(table)[0] ?? 'id'

function parseFields(text: string | undefined, table: Table): string[] {
  const fields = (text ?? '').split(',').filter(Boolean)
  const unknown = fields.find((field) => !optionalFields(table).includes(field))
  if (unknown === undefined) return fields
  throw new UsageError(
    `--allow-missing: ${sanitize(unknown)} is not an optional field; those are ${optionalFields(table).join(', ')}`,
  )
}

function syncRequest(file: string, table: Table, options: Options): SyncRequest {
  const { workspace, source, maxGone, allowEmpty, allowMissing, dryRun, every } = options
  checkSourceName(source)
  if (every !== undefined && file === '-')
    throw new UsageError('--every: stdin can be read only once; use a file or a URL')
  if (every !== undefined && dryRun) throw new UsageError('--every: cannot be used with --dry-run')
  const url = parseSourceUrl(file)
  // A token in a misspelt variable is not sent, and the source would only report a missing token.
  if (url !== undefined) warnOfMisspelt(process.env, (setting) => setting.startsWith('SYNC_'))
  return {
    ...{ workspace, source, allowEmpty, dryRun, file, url },
    allowMissing: parseFields(allowMissing, table),
    maxGone: maxGone === undefined ? undefined : parseMaxGone(maxGone),
    location: url === undefined ? (file === '-' ? 'stdin' : redactTokens(file)) : shownUrl(url),
    everySeconds: every === undefined ? undefined : parseInterval(every, '--every') / 1000,
    credentials: readSyncCredentials(process.env),
  }
}

async function syncOnce(context: Context, table: Table, request: SyncRequest, options: Options): Promise<void> {
  const show = (counts: SyncCounts) => printResult(options.json, counts, summary(table, options, counts))
  const { map, dryRun } = request
  const report = map && dryRun ? new (await import('../import/map/report.ts')).MapReport() : undefined
  try {
    const phase = request.url === undefined ? 'reading' : `waiting for ${sanitize(request.location)}`
    const attempt = () => attemptSync(context, table, { ...request, report }, recordListener)
    const counts = await withProgress(phase, attempt).finally(() => {
      // The report also helps if the file is rejected.
      for (const line of (map && report?.lines(map, table)) ?? []) printMessage(line)
    })
    show(counts)
  } catch (error) {
    // A dry run shows the counts even if the sync would be rejected.
    if (error instanceof TooManyRemovalsError && options.dryRun) show(error.counts)
    throw error
  }
}

const help = ({ name, singular }: Table) => `
Records are the same as for 'vitrine ${singular} import'. A ${singular} of the source that is not in the snapshot is removed. Nothing
changes if the snapshot is empty, truncated or one page of several, if too many ${name} would be removed, if a field that most of
them have is empty in all of them, or if an id belongs to another source or was imported. A CSV file that is truncated in its last cell or between two rows cannot be recognised as incomplete.

Examples:
  vitrine ${singular} sync --workspace northwind --source tracker --dry-run ${name}.json
  vitrine ${singular} sync --workspace northwind --source tracker --map ./map.json --dry-run export.csv
  export-${name} | vitrine ${singular} sync --workspace northwind --source tracker -
  vitrine ${singular} sync --workspace northwind --source tracker --every 5m https://tracker.example/${name}.json

For a URL, set a bearer token in SYNC_TOKEN or SYNC_TOKEN_FILE, or another header in SYNC_HEADER or SYNC_HEADER_FILE.`

function summary({ name, singular }: Table, { workspace, source, dryRun }: Options, counts: SyncCounts): string {
  const { created, changed, gone, unchanged } = counts
  const parts = Object.entries({ new: created, changed, gone, unchanged })
    .map(([what, count]) => `${formatCount(count)} ${what}`)
    .join(', ')
  return dryRun
    ? `Nothing was written. A sync of ${source} would result in: ${parts}.`
    : `Synced ${counted(created + changed + unchanged, singular, name)} of ${source} into ${workspace}: ${parts}.`
}
