import type { TestContext } from 'node:test'
import type { OperatorStore } from '../../src/database/store.ts'
import { type ImportContext, importRecords } from '../../src/import/import-records.ts'
import { type SyncOptions, syncRecords } from '../../src/import/sync-records.ts'
import type { List } from '../../src/lists/definition.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { atTime } from '../support/at-time.ts'
import { createWorkspace } from '../support/changes.ts'
import { connectElsewhere, type Engine } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore } from '../support/operator.ts'

export const NOW = '2026-11-15T12:00:00.000Z'

/** A workspace, acme, that is filled by syncs and imports; `ask` reads it by another connection. */
export async function startSyncing(t: TestContext, given?: string) {
  const url = given ?? (await migratedDatabaseUrl(t))
  const store = await openStore(t, url)
  const workspace = await createWorkspace(store, { name: 'Acme', slug: 'acme' }, 'test', NOW)
  const elsewhere = await connectElsewhere(url, t)
  const ask = async (sql: string) =>
    (await elsewhere.all<Record<string, unknown>>(sql)).map((row) => Object.values(row).join(' '))
  return {
    url,
    store,
    workspace,
    elsewhere,
    ask,
    /** The counts, or the error. */
    sync: (content: Content, options: Partial<SyncOptions> = {}, clock = () => NOW) =>
      syncInto(store, content, options, clock),
    /** A sync with something done between its comparison and its transaction. */
    interleaved:
      (meanwhile: () => Promise<void>) =>
      (content: Content, options: Partial<SyncOptions> = {}) => {
        const transaction: OperatorStore['transaction'] = async (work) => {
          await meanwhile()
          return store.transaction(work)
        }
        const others = { read: store.read.bind(store), lock: store.lock.bind(store), listInUse: (list: List) => list }
        return syncInto({ ...others, transaction } as OperatorStore, content, options)
      },
    import: (content: Content) =>
      outcome({ store: atTime(store, () => Date.parse(NOW)), list: currentTasks }, (context) =>
        importRecords(context, 'acme', { chunks: chunks(content) }),
      ),
    /** Each as its id, title and source. */
    tasks: () =>
      ask(`SELECT id, ${fieldSql(engineOf(url), 'title')}, source FROM list_items WHERE list = 'tasks' ORDER BY seq`),
    /** Everything that a change would leave behind. */
    async traces() {
      return [
        ...(await ask('SELECT * FROM list_items ORDER BY seq')),
        ...(await ask('SELECT number FROM revisions')),
        ...(await ask('SELECT hash FROM audit_heads')),
      ]
    },
  }
}

export const syncInto = (
  store: OperatorStore,
  content: Content,
  options: Partial<SyncOptions>,
  clock = () => NOW,
  into: List = currentTasks,
) =>
  outcome({ store: atTime(store, () => Date.parse(clock())), list: into }, (context) =>
    syncRecords(context, {
      workspace: 'acme',
      source: 'tracker',
      firstPart: () => ({ chunks: chunks(content) }),
      ...options,
    }),
  )

const engineOf = (url: string): Engine => (url.startsWith('postgres') ? 'postgres' : 'sqlite')

export const counts = (created: number, changed: number, gone: number, unchanged: number) => ({
  ...{ created, changed, gone, unchanged },
})

type Content = string | object[] | AsyncIterable<Buffer>

async function* chunks(content: Content): AsyncGenerator<Buffer> {
  if (typeof content === 'string' || Array.isArray(content))
    yield Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  else yield* content
}

async function outcome<Counts>(
  into: Pick<ImportContext, 'store' | 'list'>,
  work: (context: ImportContext) => Promise<Counts>,
): Promise<Counts | string> {
  const complaints: string[] = []
  const onBadRecord: ImportContext['onBadRecord'] = ({ line }, problems) =>
    complaints.push(`line ${line}: ${problems.join('; ')}`)
  try {
    return await work({ ...into, actor: 'test', onBadRecord })
  } catch (error) {
    return [...complaints, (error as Error).message].join('\n')
  }
}

export const manyTasks = (count: number, title = (i: number) => `Task ${i}`) =>
  Array.from({ length: count }, (_, i) => ({ id: String(i), title: title(i) }))

/** SQL for a published field of a row in `list_items`. */
const fieldSql = (engine: Engine, field: string): string =>
  engine === 'sqlite' ? `body ->> '${field}'` : `body::json ->> '${field}'`

/** How many tasks have each title. */
export const titleCounts = (engine: Engine): string =>
  `SELECT title, count(*) AS n FROM (SELECT ${fieldSql(engine, 'title')} AS title FROM list_items) AS tasks GROUP BY title`
