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
import { type Progress, withProgress } from './progress.ts'

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
What is written to the source during the copy is not copied: stop the server first.

Examples:
  vitrine copy --from sqlite:data/vitrine.db --to postgres://operator@db.example/vitrine`,
    )
    .action(async ({ from, to, json }: Options) => {
      const [source, target] = [database(from, '--from'), database(to, '--to')]
      const counts = await withProgress((progress) => copy(source, target, resources, progress))
      if (json) return printJson(Object.fromEntries(counts))
      printMessage(`Copied ${[...counts].map(([table, rows]) => `${formatCount(rows)} ${table}`).join(', ')}.`)
    })

async function copy(
  from: Database,
  to: Database,
  resources: readonly Resource[],
  progress: Progress,
): Promise<Map<string, number>> {
  const source = await openReadingStore(from, resources).catch(namingOption('--from'))
  try {
    const target = await openOperatorStore(to, resources, { create: true }).catch(namingOption('--to'))
    try {
      return await target.load(counted(read(source), progress)).catch(namingOption('--to'))
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function* read(source: ReadingStore): AsyncGenerator<TableChunk> {
  try {
    yield* source.dump()
  } catch (error) {
    namingOption('--from')(error)
  }
}

/** Messages name the database by DATABASE_URL; here there are two, each given by an option. */
const namingOption =
  (option: string) =>
  (error: unknown): never => {
    if (!(error instanceof StorageError)) throw error
    throw new StorageError(error.message.replaceAll('DATABASE_URL', option), { cause: error })
  }

/** Passes the chunks on, and shows how many rows of a table have passed. */
async function* counted(chunks: AsyncIterable<TableChunk>, progress: Progress): AsyncGenerator<TableChunk> {
  const read = new Map<string, number>()
  for await (const chunk of chunks) {
    const rows = (read.get(chunk.table) ?? 0) + chunk.rows.length
    read.set(chunk.table, rows)
    progress.count(`copying ${chunk.table}`, rows, 'rows')
    yield chunk
  }
  progress.phase('checking and committing the copy')
}

function database(url: string, option: string): Database {
  try {
    return parseDatabaseUrl(url)
  } catch (error) {
    throw new UsageError(`${option}: ${(error as Error).message}`)
  }
}
