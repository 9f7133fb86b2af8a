import type { TestContext } from 'node:test'
import { tableDatabases } from '../../../src/database/in-place/open.ts'
import { parseDatabaseUrl } from '../../../src/database/open.ts'
import { type List, listsOf } from '../../../src/lists/definition.ts'
import { definitionFaults } from '../../../src/resources/declared/check.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import type { Definition } from '../../../src/resources/declared/definition.ts'
import { permissionsOf, type Resource } from '../../../src/resources/define.ts'
import { resources as builtIn } from '../../../src/resources/index.ts'
import { changed } from '../../resources/declared/orders.ts'
import { connectElsewhere, createDatabase, type Engine, freshDatabaseUrl } from '../../support/database.ts'
import { type Service, startService } from '../../support/service.ts'

/** The table of an application, which the orders of the documentation are read from. */
export const TABLES: Record<Engine, string> = {
  sqlite: `CREATE TABLE open_orders (id TEXT PRIMARY KEY, shop TEXT NOT NULL, supplier TEXT NOT NULL, total TEXT,
    ordered_on TEXT NOT NULL, deliver_by TEXT, urgent INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL)`,
  postgres: `CREATE TYPE order_status AS ENUM ('sent', 'draft', 'received', 'closed', 'lost');
    CREATE TABLE open_orders (id text PRIMARY KEY, shop text NOT NULL, supplier text NOT NULL, total numeric,
    ordered_on date NOT NULL, deliver_by timestamptz, urgent boolean NOT NULL DEFAULT false, status order_status NOT NULL)`,
}

const rows = {
  database: 'SHOP_DATABASE_URL',
  table: 'open_orders',
  workspaceColumn: 'shop',
  columns: { deliveryAt: 'deliver_by' },
}

/** The documentation's orders in place, with members replaced, by their path. */
export function inPlace(changes: Record<string, unknown> = {}): Definition {
  const definition = changed({ rows: structuredClone(rows) })
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const holder = names.reduce((object, name) => object[name] as Record<string, unknown>, definition)
    if (value === undefined) delete holder[last]
    else holder[last] = value
  }
  const [fault] = definitionFaults(definition)
  if (fault !== undefined) throw new Error(`${fault.field} ${fault.problem}`)
  return definition as Definition
}

type Columns = Record<string, string | null> & { id: string }

const literal = (value: string | null) => (value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`)

export function insertion(...orders: readonly Columns[]): string {
  const defaults: Record<string, string | null> = {
    shop: 'acme',
    supplier: 'Alvés',
    total: '1.50',
    ordered_on: '2026-11-16',
    deliver_by: null,
    urgent: '0',
    status: 'sent',
  }
  const names = ['id', ...Object.keys(defaults)]
  const tuples = orders.map((order) => `(${names.map((name) => literal({ ...defaults, ...order }[name] ?? null))})`)
  return `INSERT INTO open_orders (${names}) VALUES ${tuples}`
}

/** The database of an application, without tables. */
export async function shopDatabase(t: TestContext, engine: Engine, given?: string) {
  const url = given ?? (await (engine === 'sqlite' ? freshDatabaseUrl(t, engine) : createDatabase(t, 'template0')))
  const { run } = await connectElsewhere(url, t)
  if (engine === 'postgres') await run('SET search_path = public')
  return { url, run }
}

function resourcesOver(url: string, ...definitions: readonly Definition[]): Resource[] {
  const open = tableDatabases(() => parseDatabaseUrl(url))
  return [
    ...builtIn,
    ...definitions.map((definition) => compileDefinition(definition, `${definition.name}.json`, open)),
  ]
}

type Body = Record<string, unknown> & { orders: Record<string, unknown>[] }

export interface Shop extends Service {
  /** Where the table is. */
  shopUrl: string
  run(sql: string): Promise<void>
  insert(...orders: Columns[]): Promise<void>
  orders(headers?: Record<string, string>): Promise<{ status: number; text: string; json: Body; headers: Headers }>
  /** Asks a tool, with arguments. */
  ask(args: object, tool?: string): Promise<Record<string, unknown>>
  ids(args: object): Promise<unknown[]>
  lists: readonly List[]
}

interface ShopOptions {
  definition?: Definition
  beside?: readonly Definition[]
  /** Of an empty database, instead of a fresh one. */
  url?: string
}

/** A service with the orders in place, and with a key for all of its lists. */
export async function startShop(
  t: TestContext,
  engine: Engine,
  { definition = inPlace(), beside = [], url: given }: ShopOptions = {},
): Promise<Shop> {
  const { url, run } = await shopDatabase(t, engine, given)
  await run(TABLES[engine])
  const resources = resourcesOver(url, definition, ...beside)
  const service = await startService(t, { resources })
  const { token } = await service.createKey({ permissions: permissionsOf(resources) })
  const authorization = `Bearer ${token}`
  const ask: Shop['ask'] = async (args, tool = 'list_orders') => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }
    const response = await service.rpc(call, { authorization })
    const { result, error } = (await response.json()) as { result?: { content: { text: string }[] }; error?: object }
    return result === undefined ? { error } : JSON.parse(result.content[0]?.text ?? '')
  }
  return {
    ...service,
    shopUrl: url,
    run,
    insert: (...orders) => run(insertion(...orders)),
    key: token,
    async orders(headers = {}) {
      const response = await service.get('/orders', { authorization, ...headers })
      const text = await response.text()
      return { status: response.status, text, headers: response.headers, json: text === '' ? {} : JSON.parse(text) }
    },
    ask,
    lists: listsOf(resources),
    ids: async (args) => ((await ask(args)).orders as { id: unknown }[]).map(({ id }) => id),
  }
}
