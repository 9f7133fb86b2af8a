import { after, type TestContext } from 'node:test'
import { Command } from 'commander'
import { sql as sqlCommand } from '../../src/cli/commands/resource/sql.ts'
import type { Context } from '../../src/cli/context.ts'
import { openOperatorStore, openReadingStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { boolean, choice, date, decimal, instant, integer, money, text, texts, url } from '../../src/database/table.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { defineList } from '../../src/resources/list.ts'
import { startShop } from './shop.ts'

const about = (nullable = true) => ({ nullable, description: 'A field.' })

/** A resource with every kind of column except an email address, which tasks have. */
const orders = defineList(
  {
    name: 'orders',
    singular: 'order',
    version: 1,
    columns: {
      id: text({ maxLength: 100, description: 'The id.' }),
      supplier: text({ ...about(false), maxLength: 20 }),
      page: url(about()),
      orderedOn: date(about()),
      deliveryAt: instant(about()),
      lines: integer({ ...about(), minimum: 0, maximum: 1000 }),
      weight: decimal(about()),
      total: money(about()),
      urgent: boolean({ ...about(false), default: false }),
      status: choice(['draft', 'sent'], { description: 'The state.' }),
      tags: texts({ ...about(), maxLength: 20, maxItems: 5 }),
    },
  },
  { order: ['deliveryAt'], filters: [], limit: 100 },
)
const withOrders = [...resources, { name: 'orders', table: orders.table } as unknown as Resource]

/** The shop's database with the table of orders and two workspaces, `lisbon` and `havana`. */
export async function startOrders(t: TestContext) {
  const shop = await startShop(t)
  const database = parseDatabaseUrl(shop.as('vitrine_operator'))
  await (await openOperatorStore(database, withOrders, { create: true })).close()
  await shop.asOperator(`INSERT INTO vitrine.workspaces (id, slug, name, timezone)
    VALUES ('lisbon', 'lisbon', 'Lisbon', 'Europe/Lisbon'), ('havana', 'havana', 'Havana', 'America/Havana')`)
  const reading = await openReadingStore(database, withOrders)
  t.after(() => reading.close())
  const previous = process.env.DATABASE_URL
  process.env.DATABASE_URL = shop.as('vitrine_operator')
  after(() => {
    if (previous === undefined) delete process.env.DATABASE_URL
    else process.env.DATABASE_URL = previous
  })

  /** Runs `vitrine resource sql`. */
  async function sql(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    const printed = { stdout: '', stderr: '' }
    const write = (stream: 'stdout' | 'stderr') =>
      t.mock.method(process[stream], 'write', (chunk: string) => {
        printed[stream] += chunk
        return true
      })
    const writes = [write('stdout'), write('stderr')]
    const context: Pick<Context, 'requireResources' | 'read'> = {
      requireResources: () => withOrders,
      read: (work) => reading.read(work),
    }
    try {
      const command = sqlCommand(context)
        .exitOverride()
        .configureOutput({ writeErr: () => {} })
      await new Command().addCommand(command).parseAsync(['sql', ...args], { from: 'user' })
    } finally {
      for (const { mock } of writes) mock.restore()
    }
    return printed
  }

  return {
    ...shop,
    sql,
    /** Grants what is needed and runs what is printed, twice. */
    async show(...args: string[]): Promise<string> {
      await shop.asOwner((await sql(...args, '--grants')).stdout)
      const { stdout } = await sql(...args)
      for (const _ of [1, 2]) await shop.asOperator(stdout)
      return stdout
    },
    shown: (columns: string, where = 'true') =>
      shop.asOperator(`SELECT ${columns} FROM vitrine.orders WHERE ${where} ORDER BY workspace_id, seq`),
    ids: async (workspace: string) =>
      (await shop.asOperator(`SELECT id FROM vitrine.orders WHERE workspace_id = '${workspace}' ORDER BY seq`)).map(
        ({ id }) => id,
      ),
    applicationTables: async () =>
      (await reading.examine()).find(({ check }) => check === 'own tables')?.detail ?? 'there are none',
  }
}
