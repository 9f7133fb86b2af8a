import { resolve } from 'node:path'
import { Option } from 'commander'
import { readConfig } from '../../../config.ts'
import { tableDatabases } from '../../../database/in-place/open.ts'
import { type Database, lockForServing, openOperatorStore, parseDatabaseUrl } from '../../../database/open.ts'
import type { OperatorStore } from '../../../database/store.ts'
import { Keys } from '../../../keys/life-cycle.ts'
import { DAY_MS } from '../../../lib/duration.ts'
import { isoOf } from '../../../lib/instant.ts'
import { canonicalZoneName } from '../../../lib/local-dates.ts'
import { prefixingErrors, UserError } from '../../../lib/user-error.ts'
import { SourceUnavailable } from '../../../lists/in-place/unavailable.ts'
import { addMember } from '../../../members/members.ts'
import { createSignInLink } from '../../../members/sign-in-link.ts'
import { identityOf } from '../../../resources/declared/compile.ts'
import { MAX_DECLARED } from '../../../resources/declared/definition.ts'
import { withDeclared } from '../../../resources/declared/load.ts'
import { builtInOf, type Resource } from '../../../resources/define.ts'
import { signInLinkUrl } from '../../../web/paths.ts'
import { createWorkspace } from '../../../workspaces/workspaces.ts'
import { Command } from '../../command.ts'
import { actor, type Context, use } from '../../context.ts'
import { ExitCode, UsageError } from '../../errors.ts'
import { ignoreOutputErrors, isJson, print, printJson } from '../../terminal/output.ts'
import {
  type DraftedFile,
  type DraftedList,
  draftFile,
  draftLists,
  draftTable,
  listNameOfTable,
  TABLES_SETTING,
} from './draft-list.ts'
import { createHome, type Home, writeDefinitions, writeEnvFile } from './home.ts'
import { followFiles, loadFile, versionsOf } from './load-file.ts'
import { type LoadedList, nextCommand, summaryOf } from './summary.ts'

const OWNER = 'you@try.example'
const KEY_LIFETIME_MS = 90 * DAY_MS

const HELP = `
Types, id, order, filters and search come from all rows of a file, or from the catalogue of a database, whose tables are read in place.
A file that changes is read again. Only this machine can connect, on PORT or on a free port. --keep leaves the definitions, the database
and an env file for 'vitrine serve'.`

interface Options {
  keep?: string | undefined
  table: string[]
}

export const command = ({ resources }: Context) =>
  new Command('try', 'serve files, or tables of a database, as lists that agents can read, until stopped')
    .argument('<file...>', 'CSV, JSON or NDJSON, also as .gz; or, with --table, postgres://… or sqlite:PATH')
    .addOption(
      new Option('--table <name>', 'a table or view of the database, such as reporting.orders; repeatable')
        .default([], 'none')
        .argParser((table, before: string[]) => [...before, table]),
    )
    .option('--keep <folder>', 'keep the definitions and database in this new folder')
    .notes(HELP)
    .examples(
      'try orders.csv',
      'try --keep ./orders orders.csv suppliers.json',
      'try sqlite:shop.db --table orders --table suppliers',
    )
    .withResult(async (words: string[], { keep, table: tables }: Options) => {
      const database = databaseIn(words, tables)
      const sources = database === undefined ? words : tables
      if (sources.includes('-')) throw new UsageError('stdin cannot be read again; name a file')
      if (sources.length > MAX_DECLARED) throw new UsageError(`at most ${MAX_DECLARED} files can be tried at once`)
      using signals = exitOnSignals()
      const builtIn = builtInOf(resources)
      const openDatabase = tableDatabases(() => database as Database)
      const lists = await draftLists(
        sources,
        async (source) =>
          database === undefined
            ? draftFile(source)
            : draftTable(source, await openDatabase(TABLES_SETTING), listNameOfTable(sources[0] ?? '')),
        builtIn,
      )
      using home = createHome(keep)
      writeDefinitions(home, lists)
      const all = withDeclared(home.resources, builtIn, openDatabase)
      await serveLists(lists, all, { home, keep, database, onListening: signals.handOver })
    }, 'print one line of JSON when it listens')

const ADDRESS = /^(?:sqlite|postgres(?:ql)?):/

/** Undefined for files. */
function databaseIn(words: readonly string[], tables: readonly string[]): Database | undefined {
  const [address] = words.filter((word) => ADDRESS.test(word))
  if (address === undefined && tables.length === 0) return undefined
  if (address === undefined)
    throw new UsageError('--table: needs the address of its database, postgres://… or sqlite:PATH')
  if (words.length > 1)
    throw new UsageError('only one database can be tried at a time; start another command for the rest')
  if (tables.length === 0) throw new UsageError('name a table or view of the database with --table')
  const database = prefixingErrors('<file...>: ', () => parseDatabaseUrl(address), UsageError)
  return database.engine === 'sqlite' ? { ...database, path: resolve(database.path) } : database
}

interface TryRequest {
  home: Home
  keep: string | undefined
  database: Database | undefined
  onListening(): void
}

async function serveLists(
  drafted: readonly DraftedList[],
  resources: readonly Resource[],
  { home, keep, database, onListening }: TryRequest,
): Promise<void> {
  const { PORT = '0', LOG_LEVEL = 'error' } = process.env
  const config = readConfig({ HOST: '127.0.0.1', PORT, LOG_LEVEL, DATABASE_URL: home.databaseUrl })
  const { runServer } = await import('../../serve/run-server.ts')
  using _lock = await lockForServing(config.database)
  await use(await openOperatorStore(config.database, resources, { create: true }), async (store) => {
    const { workspace, key } = await createAccess(store, drafted)
    const target = { store, workspace }
    const versions = await versionsOf(drafted.filter(isFile))
    const lists: LoadedList[] = []
    for (const each of drafted)
      lists.push({ ...each, rows: isFile(each) ? await loadFile(target, each) : await rowsInTable(each, resources) })
    await using _following = followFiles(target, versions)
    ignoreOutputErrors()
    const onReady = async ({ url }: { url: string }) => {
      onListening()
      if (keep !== undefined) {
        writeEnvFile(home, url, database === undefined ? {} : { [TABLES_SETTING]: addressOf(database) })
        home.keep()
      }
      const ready = { url, mcpUrl: `${url}/v2/mcp`, key, workspace }
      if (isJson()) return printJson({ ...ready, lists: lists.map(asJson) })
      const link = await store.transaction((tx) => createSignInLink(tx, { email: OWNER }, actor()))
      print(summaryOf({ ...ready, lists, signInUrl: signInLinkUrl(url, link), next: nextCommand(home, keep) }))
    }
    await runServer(config, resources, onReady, STDERR)
  })
}

/** The result on stdout may be piped. */
const STDERR = 2

const isFile = (list: DraftedList): list is DraftedFile => list.map !== undefined

const addressOf = (database: Database) => (database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url)

/** At most as many as a response counts. Also reads the first page, which must fit the definition. */
async function rowsInTable({ source, definition }: DraftedList, resources: readonly Resource[]): Promise<number> {
  const { inPlace, list } = resources.find(({ name }) => name === definition.name) ?? {}
  const rows = inPlace?.source(async () => definition.rows?.workspace)
  const scope = { workspaceId: '', now: Date.now(), only: null }
  try {
    return (await rows?.firstRows(scope, list?.limit ?? 0))?.total ?? 0
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error
    const row = error.row === undefined ? '' : `row ${error.row}: `
    throw new UserError(`${source}: ${row}${error.message}`, { cause: error })
  }
}

const asJson = ({ source, map, rows, definition }: LoadedList) => {
  const { name, tool } = identityOf(definition)
  return { name, tool: tool.name, rows, [map === undefined ? 'table' : 'file']: source }
}

/** The key can read these lists and nothing else of the service's own but the workspace. */
async function createAccess(store: OperatorStore, lists: readonly DraftedList[]) {
  const identities = lists.map(({ definition }) => identityOf(definition))
  const workspace = identities[0]?.name ?? ''
  const permissions = ['workspace:read', ...identities.map(({ permission }) => permission)]
  const timezone = canonicalZoneName(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? 'UTC'
  return store.transaction(async (tx) => {
    await createWorkspace(tx, { name: workspace, slug: workspace, timezone }, actor())
    await addMember(tx, workspace, { email: OWNER, role: 'owner' }, actor())
    const expiresAt = isoOf(tx.nowMs + KEY_LIFETIME_MS)
    const wanted = { label: 'try', permissions, quota: null, expiresAt }
    return { workspace, key: (await new Keys(tx, actor()).create(workspace, wanted)).token }
  })
}

/** Until the server handles SIGINT and SIGTERM. A closed terminal ends the program in the same way, or the folder would stay. */
function exitOnSignals() {
  const exit = () => process.exit(ExitCode.success)
  const hangUp = () => process.kill(process.pid, 'SIGTERM')
  const handOver = () => void process.off('SIGINT', exit).off('SIGTERM', exit)
  process.on('SIGINT', exit).on('SIGTERM', exit).on('SIGHUP', hangUp)
  return {
    handOver,
    [Symbol.dispose]() {
      handOver()
      process.off('SIGHUP', hangUp)
    },
  }
}
