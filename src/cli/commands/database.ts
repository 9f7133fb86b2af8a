import { statSync } from 'node:fs'
import { StorageError } from '../../database/errors.ts'
import {
  addBackup,
  backupDatabase,
  type Database,
  openOperatorStore,
  openReadingStore,
  parseDatabaseUrl,
  restoreDatabase,
} from '../../database/open.ts'
import type { ReadingStore, TableChunk } from '../../database/store.ts'
import { checkEmpty } from '../../database/tables/copied-tables.ts'
import { definitionDifferences, rememberedResources } from '../../database/tables/declared-lists.ts'
import { counted } from '../../lib/format-count.ts'
import { prefixingErrors } from '../../lib/user-error.ts'
import { listsOf } from '../../lists/definition.ts'
import { setSunset } from '../../resources/declared/retirement.ts'
import type { Resource } from '../../resources/define.ts'
import { Command } from '../command.ts'
import { type Context, givenDatabase, namingDefault, use } from '../context.ts'
import { UsageError } from '../errors.ts'
import { rowsInWords } from '../rows-in-words.ts'
import { isJson, printJson, printMessage, printResult } from '../terminal/output.ts'
import { parseCount } from '../terminal/usage.ts'

export const backupCommand = ({ requireResources }: Context) =>
  new Command('backup', 'copy the whole database into a file; the server can keep running')
    .argument('<file>', 'a file that does not exist yet; with --keep, a folder')
    .option(
      '--keep <n>',
      'add a dated file to the folder once restoring it into a temporary file has worked, and remove all but the newest n',
      parseCount('--keep'),
    )
    .notes("\nTo restore a backup, stop the server and run 'vitrine restore FILE'.")
    .examples('backup /var/backups/vitrine-$(date +%F).db', 'backup /var/backups/vitrine --keep 14')
    .withResult(async (file: string, { keep }: { keep?: number }) => {
      if (keep !== undefined) return keepBackup(file, keep, requireResources())
      await backupDatabase(givenDatabase(), file).catch(namingDefault)
      printResult({ file, sizeBytes: statSync(file).size }, `Backed up to ${file}.`)
    })

async function keepBackup(folder: string, keep: number, resources: readonly Resource[]) {
  const { file, removed } = await addBackup(givenDatabase(), folder, { keep, resources }).catch(namingDefault)
  const older = removed.length === 0 ? '' : `, and removed ${removed.join(', ')}`
  printResult({ file, sizeBytes: statSync(file).size, removed }, `Backed up to ${file}, verified it${older}.`)
}

export const restoreCommand = ({ requireResources }: Context) =>
  new Command('restore', 'replace the database with a backup; the server must be stopped')
    .argument('<file>', "a file that 'vitrine backup' wrote")
    .notes(
      '\nThe backup is checked first, and the replaced database is kept next to the new one. Keys that were revoked after' +
        '\nthe backup work again, and everyone has to sign in again.',
    )
    .examples('restore /var/backups/vitrine-2026-11-15.db')
    .withResult(async (file: string) => {
      const resources = requireResources()
      const database = givenDatabase()
      const restored = await restoreDatabase(database, resources, file)
      if (isJson()) return printJson(restored)
      const { from, replaced, workspaces, keys } = restored
      const kept = replaced === null ? 'There was no database before.' : `The replaced database is kept as ${replaced}.`
      printMessage(
        `Restored ${restored.database} from ${from}: ${counted(workspaces, 'workspace')}, ${counted(keys, 'key')}. ${kept}`,
      )
      printMessage("Keys that were revoked after the backup work again: check 'vitrine key list --workspace SLUG'.")
    })

export const copyCommand = ({ resources, requireResources }: Context) =>
  new Command('copy')
    .description(
      `copy ${['workspaces', ...listsOf(resources).map(({ name }) => name)].join(', ')}, keys, usage, members and the audit log to another database, which must be empty`,
    )
    .requiredOption('--from <url>', 'sqlite:<file> or postgres://…')
    .requiredOption('--to <url>', 'sqlite:<file> or postgres://…')
    .notes(`
Keys keep working. Sessions and sign-in links are not copied, so everyone has to sign in again, and quotas start over.
Changes that are made during the copy are not copied: stop the server first.`)
    .examples('copy --from sqlite:data/vitrine.db --to postgres://operator@db.example/vitrine')
    .withResult(async ({ from, to }: { from: string; to: string }) => {
      requireResources()
      const [original, target] = [database(from, '--from'), database(to, '--to')]
      const counts = await copyDatabase(original, target, resources)
      printResult(Object.fromEntries(counts), `Copied ${rowsInWords(counts)}.`)
    })

async function copyDatabase(from: Database, to: Database, resources: readonly Resource[]) {
  const original = await openReadingStore(from, resources).catch(namingOption('--from'))
  return use(original, async () => {
    const remembered = await original.read(rememberedResources)
    const left = definitionDifferences(resources, remembered).find(({ kind }) => kind !== 'reworded')
    if (left !== undefined) throw new StorageError(`${left.resource} cannot be copied: ${left.reason}`)
    const target = await openOperatorStore(to, resources, { create: true }).catch(namingOption('--to'))
    return use(target, async () => {
      await target.transaction(async (tx) => {
        await checkEmpty(tx)
        for (const { name, sunset } of remembered) await setSunset(tx, name, sunset)
      })
      return target.load(chunksOf(original)).catch(namingOption('--to'))
    })
  })
}

async function* chunksOf(original: ReadingStore): AsyncGenerator<TableChunk> {
  try {
    yield* original.dump()
  } catch (error) {
    namingOption('--from')(error)
  }
}

/** Store errors mention DATABASE_URL, but a copy gets its two databases from options. */
const namingOption =
  (option: string) =>
  (error: unknown): never => {
    if (!(error instanceof StorageError)) throw error
    throw new StorageError(error.message.replaceAll('DATABASE_URL', option), { cause: error })
  }

const database = (url: string, option: string): Database =>
  prefixingErrors(`${option}: `, () => parseDatabaseUrl(url), UsageError)
