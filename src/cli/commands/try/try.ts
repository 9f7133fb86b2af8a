import { readConfig } from '../../../config.ts'
import { lockForServing, openOperatorStore } from '../../../database/open.ts'
import type { OperatorStore } from '../../../database/store.ts'
import { Keys } from '../../../keys/life-cycle.ts'
import { DAY_MS } from '../../../lib/duration.ts'
import { isoOf } from '../../../lib/instant.ts'
import { canonicalZoneName } from '../../../lib/local-dates.ts'
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
import { type DraftedList, draftLists } from './draft-list.ts'
import { createHome, type Home, writeDefinitions, writeEnvFile } from './home.ts'
import { followFiles, type LoadedList, loadList } from './load-file.ts'
import { nextCommand, summaryOf } from './summary.ts'

const OWNER = 'you@try.example'
const KEY_LIFETIME_MS = 90 * DAY_MS

const HELP = `
Types, id, order, filters and search come from all rows. A file that changes is read again. Only this machine can connect, on PORT or
on a free port. --keep leaves the definitions, the database and an env file for 'vitrine serve'.`

interface Options {
  keep?: string | undefined
}

export const command = ({ resources }: Context) =>
  new Command('try', 'serve CSV and JSON files as lists that agents can read, until stopped')
    .argument('<file...>', 'CSV, JSON or NDJSON, also as .gz, detected automatically')
    .option('--keep <folder>', 'create this folder, and leave it')
    .notes(HELP)
    .examples('try orders.csv', 'try --keep ./orders orders.csv suppliers.json')
    .withResult(async (files: string[], { keep }: Options) => {
      if (files.includes('-')) throw new UsageError('stdin cannot be read again; name a file')
      if (files.length > MAX_DECLARED) throw new UsageError(`at most ${MAX_DECLARED} files can be tried at once`)
      using signals = exitOnSignals()
      const builtIn = builtInOf(resources)
      const lists = await draftLists(files, builtIn)
      using home = createHome(keep)
      writeDefinitions(home, lists)
      const all = withDeclared(home.resources, builtIn)
      await serveLists(lists, all, { home, files, keep, onListening: signals.handOver })
    }, 'print one line of JSON when it listens')

interface TryRequest extends Options {
  home: Home
  files: readonly string[]
  onListening(): void
}

async function serveLists(
  drafted: readonly DraftedList[],
  resources: readonly Resource[],
  { home, files, keep, onListening }: TryRequest,
): Promise<void> {
  const { PORT = '0', LOG_LEVEL = 'error' } = process.env
  const config = readConfig({ HOST: '127.0.0.1', PORT, LOG_LEVEL, DATABASE_URL: home.databaseUrl })
  const { runServer } = await import('../../serve/run-server.ts')
  using _lock = await lockForServing(config.database)
  await use(await openOperatorStore(config.database, resources, { create: true }), async (store) => {
    const { workspace, key } = await createAccess(store, drafted)
    const target = { store, workspace }
    const lists: LoadedList[] = []
    for (const each of drafted) lists.push(await loadList(target, each))
    await using _following = followFiles(target, lists)
    ignoreOutputErrors()
    await runServer(config, resources, async ({ url }) => {
      onListening()
      if (keep !== undefined) {
        writeEnvFile(home, url)
        home.keep()
      }
      const ready = { url, mcpUrl: `${url}/v2/mcp`, key, workspace }
      if (isJson()) return printJson({ ...ready, lists: lists.map(asJson) })
      const link = await store.transaction((tx) => createSignInLink(tx, { email: OWNER }, actor()))
      print(summaryOf({ ...ready, lists, signInUrl: signInLinkUrl(url, link), next: nextCommand(home, files, keep) }))
    })
  })
}

const asJson = ({ file, rows, definition }: LoadedList) => {
  const { name, tool } = identityOf(definition)
  return { name, tool: tool.name, rows, file }
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
