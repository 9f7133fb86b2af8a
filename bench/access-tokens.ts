/**
 * What a request with the access token of a connection costs against one with a key: on one server, in turns, on both engines.
 * `node_modules/.bin/node bench/access-tokens.ts [rounds] [seconds of each]`
 */
import { openOperatorStore, parseDatabaseUrl } from '../src/database/open.ts'
import { resources } from '../src/resources/index.ts'
import { addMember } from '../test/support/changes.ts'
import { ANA, connector, GRANT } from '../test/support/connector.ts'
import { isJson } from './harness/checks.ts'
import { compare, isFailure } from './harness/compare.ts'
import { workspaceFixture } from './harness/fixture.ts'
import { describeMachine } from './harness/machine.ts'
import { withPostgres } from './harness/postgres.ts'
import { type Testbed, withTestbed } from './harness/testbed.ts'
import { getWithKey, QUOTA, serveFixture } from './harness/vitrine.ts'
import { median, ratios, spreadOf } from './report/statistics.ts'
import { table, withSpread } from './report/table.ts'

const [rounds = 40, roundSeconds = 0.5] = process.argv.slice(2).map(Number)
const schedule = { warmUpSeconds: 3, roundSeconds, rounds, latencySeconds: 0 }

async function createAccessToken(databaseUrl: string): Promise<string> {
  const store = await openOperatorStore(parseDatabaseUrl(databaseUrl), resources, { create: false })
  const time = { now: Date.now() }
  const { slug } = workspaceFixture
  await addMember(store, slug, { email: ANA, role: 'owner' }, 'bench', new Date(time.now).toISOString())
  const key = { ...GRANT.key, quota: QUOTA }
  const { response } = await connector(store, time).connect({ workspaceSlug: slug, key })
  await store.close()
  return response.access_token
}

/** The key takes part a second time, which shows how far two equal requests differ. */
async function measure(testbed: Testbed, engine: string, url?: string): Promise<string[]> {
  const { vitrine: server, key, databaseUrl, tasks } = await serveFixture(testbed, url)
  const tokens = { key, 'access token': await createAccessToken(databaseUrl), 'key again': key }
  const targets = Object.entries(tokens).map(([name, token]) => ({
    ...{ name, server, request: getWithKey(token, '/tasks'), check: isJson(tasks) },
  }))
  const [base = [], ...others] = (await compare(targets, schedule)).map((result) => {
    if (isFailure(result)) throw new Error(`${result.name}: ${result.failure}`)
    return result.perCpuSecond
  })
  const costs = others.map((figures) => withSpread(spreadOf(ratios(base, figures)), 3))
  await server.stop()
  return [engine, `${(1e6 / median(base)).toFixed(1)} µs`, ...costs]
}

const rows = [
  await withTestbed((testbed) => measure(testbed, 'SQLite')),
  await withTestbed((testbed) => withPostgres(testbed, ({ url }) => measure(testbed, 'PostgreSQL', url))),
]
const head = ['CPU time of `GET /tasks`', 'key', 'access token, times key', 'key again, times key']
process.stdout.write(`${describeMachine()}; ${rounds} rounds of ${roundSeconds} s\n\n${table(head, rows)}\n`)
