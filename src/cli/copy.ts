import { Command } from 'commander'
import type { TableChunk } from '../database/copied-tables.ts'
import { StorageError } from '../database/errors.ts'
import { type Database, openOperatorStore, openReadingStore, parseDatabaseUrl } from '../database/open.ts'
import type { ReadingStore } from '../database/store.ts'
import { tablesOf } from '../database/table.ts'
import { formatCount } from '../lib/format-count.ts'
import type { Resource } from '../resources/define.ts'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'
import { printJson, printMessage } from './output.ts'

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
    .action(async ({ from, to, json }: Options) => {
      const counts = await copy(database(from, '--from'), database(to, '--to'), resources)
      if (json) return printJson(Object.fromEntries(counts))
      printMessage(`Copied ${[...counts].map(([table, rows]) => `${formatCount(rows)} ${table}`).join(', ')}.`)
    })

async function copy(from: Database, to: Database, resources: readonly Resource[]): Promise<Map<string, number>> {
  const source = await openReadingStore(from, resources).catch(namingOption('--from'))
  try {
    const target = await openOperatorStore(to, resources, { create: true }).catch(namingOption('--to'))
    try {
      return await target.load(withProgress(read(source))).catch(namingOption('--to'))
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

/** Passes the chunks on, and shows the progress on a terminal. */
async function* withProgress(chunks: AsyncIterable<TableChunk>): AsyncGenerator<TableChunk> {
  if (!process.stderr.isTTY) return yield* chunks
  const read = new Map<string, number>()
  for await (const chunk of chunks) {
    const rows = (read.get(chunk.table) ?? 0) + chunk.rows.length
    read.set(chunk.table, rows)
    process.stderr.write(`\r\x1b[K${chunk.table}: ${formatCount(rows)} rows`)
    yield chunk
  }
  process.stderr.write('\r\x1b[K')
}

function database(url: string, option: string): Database {
  try {
    return parseDatabaseUrl(url)
  } catch (error) {
    throw new UsageError(`${option}: ${(error as Error).message}`)
  }
}
