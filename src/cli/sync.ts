import { Command } from 'commander'
import type { OperatorStore } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { counted } from '../import/difference.ts'
import { parseMaxGone } from '../import/max-gone.ts'
import { checkSourceName } from '../import/sources.ts'
import { type SyncCounts, type SyncOptions, syncRecords, TooManyGoneError } from '../import/sync-records.ts'
import { actor, type Context, isoNow } from './context.ts'
import { chunksOf, recordListener } from './input-file.ts'
import { printJson, printMessage } from './output.ts'
import { Progress } from './progress.ts'

interface Options {
  workspace: string
  source: string
  maxGone?: string
  allowEmpty?: true
  dryRun?: true
  json?: true
}

export const syncCommand = ({ withStore }: Context, table: Table) =>
  new Command('sync')
    .description(`make the ${table.name} of a source what its snapshot says: create, change and remove, all or nothing`)
    .argument('<file>', 'the whole snapshot: NDJSON, a JSON array or CSV, detected by how it begins; - reads stdin')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption(
      '--source <name>',
      `the name of the source; ${table.name} of other sources, and imported ones, stay`,
    )
    .option(
      '--max-gone <number>',
      `how many ${table.name} may go, such as 500 or 50% (default: 20%, but 10 always may)`,
    )
    .option('--allow-empty', `take a snapshot without ${table.name}; --max-gone still counts`)
    .option('--dry-run', 'say what would be done, and write nothing')
    .option('--json', `print how many ${table.name} were created, changed, gone and unchanged, as JSON`)
    .addHelpText('after', help(table))
    .action(async (file: string, options: Options) => {
      const show = (counts: SyncCounts) =>
        options.json ? printJson(counts) : printMessage(summary(table, options, counts))
      const wanted = syncOptions(options)
      await withStore((store) => syncFile(store, table, file, wanted)).then(show, (error) => {
        // A dry run is there to see the numbers, also those that would be refused.
        if (error instanceof TooManyGoneError && options.dryRun) show(error.counts)
        throw error
      })
    })

/** Judged before a database is opened. */
function syncOptions({ workspace, source, maxGone, allowEmpty, dryRun }: Options): SyncOptions {
  checkSourceName(source)
  return { workspace, source, maxGone: maxGone === undefined ? undefined : parseMaxGone(maxGone), allowEmpty, dryRun }
}

function syncFile(store: OperatorStore, table: Table, file: string, options: SyncOptions): Promise<SyncCounts> {
  const progress = new Progress(process.stderr)
  const chunks = chunksOf(file, (sizeBytes) => progress.expect(sizeBytes))
  const snapshot = { location: file === '-' ? 'stdin' : file }
  return syncRecords(store, table, { ...options, snapshot }, chunks, actor(), isoNow, recordListener(progress)).finally(
    () => progress.clear(),
  )
}

const help = ({ name, singular }: Table) => `
Records are those of 'vitrine ${singular} import'. A ${singular} of the source that is not in the snapshot is removed. Nothing is
changed if the snapshot is empty or cut short, if too many ${name} would go, or if an id belongs to another source or was
imported. A CSV file that ends within its last cell, or between two rows, cannot be told from a whole one.

Examples:
  vitrine ${singular} sync --workspace northwind --source tracker --dry-run ${name}.json
  export-${name} | vitrine ${singular} sync --workspace northwind --source tracker -`

function summary({ name, singular }: Table, { workspace, source, dryRun }: Options, counts: SyncCounts): string {
  const { created, changed, gone, unchanged } = counts
  const [made, altered, lost, kept] = [created, changed, gone, unchanged].map((count) => count.toLocaleString('en'))
  const parts = `${made} new, ${altered} changed, ${lost} gone, ${kept} unchanged`
  return dryRun
    ? `Nothing was written. A sync of ${source} would come to: ${parts}.`
    : `Synced ${counted(created + changed + unchanged, singular, name)} of ${source} into ${workspace}: ${parts}.`
}
