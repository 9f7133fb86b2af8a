import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import pg, { type QueryConfig } from 'pg'
import type { ListConnections } from '../../src/database/postgres/lists/reader.ts'

/** The one statement that a read sends to PostgreSQL, and the modes in which it may be planned. */
async function statementOf(read: (connections: ListConnections) => Promise<unknown>) {
  const sent: QueryConfig[] = []
  const connections = {
    read: async (statement: QueryConfig) => {
      sent.push(statement)
      return [{ json: '', found: 0, isCut: false, unmarked: 0, until: null }]
    },
    slots: { run: (_: string, work: () => unknown) => work() },
    background: { request() {} },
  }
  await read(connections as unknown as ListConnections)
  const [{ name, text, values = [] } = { text: '' }, ...others] = sent
  assert.equal(others.length, 0)
  // Without a name it is planned for its values each time. With one, PostgreSQL may plan it without them.
  const modes = ['force_custom_plan', ...(name === undefined ? [] : ['force_generic_plan'])]
  return { text, values, modes }
}

/** Sessions as the server's are. */
export async function planningClient(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c enable_seqscan=off' })
  await client.connect()
  t.after(() => client.end())
  return client
}

interface PlanNode {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/** Rows, over all steps of a plan. */
export const touched = (node: PlanNode): number =>
  node['Actual Loops'] *
    (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) +
  (node.Plans ?? []).reduce((sum, child) => sum + touched(child), 0)

const literal = (value: unknown) => (typeof value === 'number' ? value : `'${String(value)}'`)

/** In every mode. */
export async function assertTouchesFew(
  client: pg.Client,
  few: number,
  what: string,
  read: (connections: ListConnections) => Promise<unknown>,
) {
  const { text, values, modes } = await statementOf(read)
  await client.query(`PREPARE page AS ${text}`)
  for (const mode of modes) {
    await client.query(`SET plan_cache_mode = ${mode}`)
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page (${values.map(literal)})`)
    const count = touched(rows[0]['QUERY PLAN'][0].Plan)
    assert.ok(count < few, `${count} rows, ${what} (${mode})`)
  }
  await client.query('DEALLOCATE page')
}
