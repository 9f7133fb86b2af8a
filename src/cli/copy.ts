import { Command } from 'commander'
import { StorageError } from '../database/errors.ts'
import { type Database, openOperatorStore, openReadingStore, parseDatabaseUrl } from '../database/open.ts'
import type { ReadingStore, TableChunk } from '../database/store.ts'
import { tablesOf } from '../database/table.ts'
import { formatCount } from '../lib/format-count.ts'
import type { Resource } from '../resources/define.ts'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'
import { printJson, printMessage } from './output.ts'
import { showCount, showPhase, withProgress } from './progress.ts'
import { examples } from './usage.ts'

interface Options {
  from: string
  to: string
  json?: true
}

export const command = ({ resources }: Context) =>
  new Command('copy')
    .description(
      `copy ${['workspaces', ...tablesOf(resources).map(({ name }) => name)].join(', ')}, keys, use, members and the audit trail into another database, which must be empty`,
    )
    .requiredOption('--from <url>', 'sqlite:<file> or postgres://…')
    .requiredOption('--to <url>', 'sqlite:<file> or postgres://…')
    .option('--json', 'print the number of rows per table as JSON')
    .addHelpText(
      'after',
      `
The same keys work afterwards. Sessions and sign-in links are not copied, so people sign in again, and quotas start anew.
What is written to the source during the copy is not copied: stop the server first.`,
    )
    .addHelpText('after', examples('copy --from sqlite:data/vitrine.db --to postgres://operator@db.example/vitrine'))
    .action(async ({ from, to, json }: Options) => {
      const [source, target] = [database(from, '--from'), database(to, '--to')]
      const counts = await withProgress('copying', () => copy(source, target, resources))
      if (json) return printJson(Object.fromEntries(counts))
      printMessage(`Copied ${[...counts].map(([table, rows]) => `${formatCount(rows)} ${table}`).join(', ')}.`)
    })

async function copy(from: Database, to: Database, resources: readonly Resource[]): Promise<Map<string, number>> {
  const source = await openReadingStore(from, resources).catch(namingOption('--from'))
  try {
    const target = await openOperatorStore(to, resources, { create: true }).catch(namingOption('--to'))
    try {
      return await target.load(read(source)).catch(namingOption('--to'))
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Shows how many rows of each table were read. */
async function* read(source: ReadingStore): AsyncGenerator<TableChunk> {
  const counts = new Map<string, number>()
  try {
    for await (const chunk of source.dump()) {
      const rows = (counts.get(chunk.table) ?? 0) + chunk.rows.length
      counts.set(chunk.table, rows)
      showCount(`copying ${chunk.table}`, rows, 'rows')
      yield chunk
    }
  } catch (error) {
    namingOption('--from')(error)
  }
  showPhase('checking and committing the copy')
}

/** Messages name the database by DATABASE_URL; here there are two, each given by an option. */
const namingOption =
  (option: string) =>
  (error: unknown): never => {
    if (!(error instanceof StorageError)) throw error
    throw new StorageError(error.message.replaceAll('DATABASE_URL', option), { cause: error })
  }

function database(url: string, option: string): Database {
  try {
    return parseDatabaseUrl(url)
  } catch (error) {
    throw new UsageError(`${option}: ${(error as Error).message}`)
  }
}
