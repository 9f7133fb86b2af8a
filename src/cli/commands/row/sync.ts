import { readSyncCredentials } from '../../../config.ts'
import { checkSourceName, parseSourceUrl, shownUrl } from '../../../import/sources.ts'
import { parseMaxGone, type SyncCounts } from '../../../import/sync-records.ts'
import { counted, formatCount } from '../../../lib/format-count.ts'
import { redactTokens } from '../../../lib/redact.ts'
import type { List } from '../../../lists/definition.ts'
import { optionalFields } from '../../../lists/stored/comparison.ts'
import { Command } from '../../command.ts'
import { type Context, isoNow } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { MAP_OPTION, mapFor, withRecordListener } from '../../input-file.ts'
import { isJson, printJson, printMessage, printResult, sanitize } from '../../terminal/output.ts'
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
  expectedEvery?: string
  exec?: string
}

export const syncCommand = (context: Context, list: List) =>
  new Command('sync')
    .description(`make the ${list.name} of a source match its snapshot, all or nothing`)
    .argument('[file...]', 'the complete snapshot, files or a URL: NDJSON, JSON or CSV, also as .gz; - reads stdin')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--source <name>', `its name; other sources and imported ${list.name} are not touched`)
    .option(...MAP_OPTION)
    .option('--exec <command>', 'instead of a file: run a program, and read what it prints if it exits with 0')
    .option('--max-gone <number>', `limit of removals, such as 500 or 50% (default: 20%, but at least 10)`)
    .option('--allow-empty', `accept a snapshot without ${list.name}; --max-gone still applies`)
    .option(
      '--allow-missing <fields>',
      `accept a snapshot without these fields, such as ${exampleField(list)}, though most ${list.name} have them`,
    )
    .option('--dry-run', 'show what would change and how the map reads the file, without writing anything')
    .option('--every <interval>', 'repeat the sync until stopped, such as 5m or 1h')
    .option(
      '--expected-every <interval>',
      'how often this command is run, such as 15m, so that a missing run is noticed',
    )
    .notes(() => help(list))
    .withResult(async (files: string[], options: Options) => {
      const request = { ...syncRequest(files, list, options), map: await mapFor(options.map, list) }
      const { everySeconds } = request
      if (options.every === undefined || everySeconds === undefined) return syncOnce(context, list, request)
      return syncEvery(context, list, { ...request, everySeconds }, (counts, isNews) => {
        if (isJson()) printJson(counts)
        else if (isNews) printMessage(`${isoNow()} ${summary(list, request, counts)}`)
      })
    })

const exampleField = (list: List) => optionalFields(list)[0] ?? 'id'

function parseFields(text: string | undefined, list: List): string[] {
  const fields = (text ?? '').split(',').filter(Boolean)
  const unknown = fields.find((field) => !optionalFields(list).includes(field))
  if (unknown === undefined) return fields
  throw new UsageError(
    `--allow-missing: ${sanitize(unknown)} is not an optional field; those are ${optionalFields(list).join(', ')}`,
  )
}

function syncRequest(files: readonly string[], list: List, { map: _, ...options }: Options): SyncRequest {
  const { maxGone, allowMissing, every, expectedEvery, ...others } = options
  const { source, dryRun, exec } = others
  checkSourceName(source)
  if ((files.length === 0) === (exec === undefined)) throw new UsageError('give either files or --exec')
  if (every !== undefined && files.includes('-'))
    throw new UsageError('--every: stdin can be read only once; use a file or a URL')
  if (every !== undefined && dryRun) throw new UsageError('--every: cannot be used with --dry-run')
  if (every !== undefined && expectedEvery !== undefined)
    throw new UsageError('--expected-every: cannot be used with --every, which is how often the sync is expected')
  const [url, ...moreUrls] = files.map(parseSourceUrl)
  if (moreUrls.some((more) => (url ?? more) !== undefined))
    throw new UsageError('a URL cannot be combined with other files')
  return {
    ...others,
    files,
    url,
    allowMissing: parseFields(allowMissing, list),
    maxGone: maxGone === undefined ? undefined : parseMaxGone(maxGone),
    location: locationOf(files, url, exec),
    everySeconds: secondsOf(every, '--every') ?? secondsOf(expectedEvery, '--expected-every'),
    credentials: readSyncCredentials(process.env),
  }
}

/** A command's variables and arguments may contain secrets. */
function locationOf(files: readonly string[], url: URL | undefined, exec: string | undefined): string {
  if (exec !== undefined) return 'the output of a command'
  if (url !== undefined) return shownUrl(url)
  return files.map((file) => (file === '-' ? 'stdin' : redactTokens(file))).join(', ')
}

const secondsOf = (interval: string | undefined, option: string): number | undefined =>
  interval === undefined ? undefined : parseInterval(interval, option) / 1000

async function syncOnce(context: Context, list: List, request: SyncRequest): Promise<void> {
  const { map, dryRun } = request
  const report = map && dryRun ? new (await import('../../../import/map/report.ts')).MapReport() : undefined
  const counts = await withRecordListener((listener) =>
    attemptSync(context, list, { ...request, report }, listener),
  ).finally(() => {
    // The report also helps if the file is rejected.
    for (const line of (map && report?.lines(map.name)) ?? []) printMessage(line)
  })
  printResult(counts, summary(list, request, counts))
}

const help = ({ name, singular }: List) => `
Records are the same as for 'vitrine ${singular} import'. A ${singular} of the source that is not in the snapshot is removed. Nothing
changes if the snapshot is empty, truncated or one page of several, if too many ${name} would be removed, if a field that most of
them have is empty in all of them, or if an id belongs to another source or was imported. A CSV file that is truncated in its last cell or between two rows cannot be recognised as incomplete.

Examples:
  vitrine ${singular} sync --workspace northwind --source tracker --dry-run ${name}.json
  vitrine ${singular} sync --workspace northwind --source tracker --map ./map.json --dry-run export.csv
  export-${name} | vitrine ${singular} sync --workspace northwind --source tracker -
  vitrine ${singular} sync --workspace northwind --source tracker --every 5m https://tracker.example/${name}.json
  vitrine ${singular} sync --workspace northwind --source tracker --exec "export-${name} --all"

For a URL, set a bearer token in SYNC_TOKEN or SYNC_TOKEN_FILE, or another header in SYNC_HEADER or SYNC_HEADER_FILE.`

function summary({ name, singular }: List, { workspace, source, dryRun }: SyncRequest, counts: SyncCounts): string {
  const { created, changed, gone, unchanged } = counts
  const parts = Object.entries({ new: created, changed, gone, unchanged })
    .map(([what, count]) => `${formatCount(count)} ${what}`)
    .join(', ')
  return dryRun
    ? `Nothing was written. A sync of ${source} would result in: ${parts}.`
    : `Synced ${counted(created + changed + unchanged, singular, name)} of ${source} into ${workspace}: ${parts}.`
}
