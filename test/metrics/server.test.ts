import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { metricNames } from '../../src/metrics/catalogue.ts'
import { problemCodes } from '../../src/problems/catalogue.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { recordFailure } from '../support/changes.ts'
import { startCutProxy } from '../support/cut-proxy.ts'
import { type Engine, postgresUrl, skipWithoutPostgres } from '../support/database.ts'
import { installedProgram, skipWithout } from '../support/installed-program.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { program, untilRefused } from '../support/program.ts'
import { openConnections, openRaw, untilSocketCloses } from '../support/raw.ts'
import { waitUntil } from '../support/wait.ts'
import { namesIn, type Series, scrape } from './exposition.ts'

const SELDOM = { everyMs: 200 }

interface StartOptions {
  settings?: Record<string, string>
  engine?: Engine
  /** The URL for the server, if it is another one. */
  through?: (databaseUrl: string) => string
}

async function startMeasured(t: TestContext, options: StartOptions = {}) {
  const { settings = {}, engine = 'sqlite', through = String } = options
  const databaseUrl = await migratedDatabaseUrl(t, engine)
  const operator = await startOperator(t, databaseUrl)
  await recordFailure(
    operator.store,
    currentTasks,
    { workspace: 'acme', source: 'jira', location: 'x', everySeconds: 60 },
    'no answer',
  )
  await operator.createKey()
  const vitrine = program(t, { METRICS_PORT: '0', DATABASE_URL: through(databaseUrl), ...settings })
  const server = await vitrine.start('serve')
  const metricsUrl = /^Metrics are at (\S+)$/m.exec(server.output())?.[1] ?? ''
  return { operator, server, metricsUrl, databaseUrl }
}

const OF_POSTGRES = /^vitrine_postgres_/
/** There is no success yet. */
const OF_SUCCESS = ['vitrine_sync_oldest_success_timestamp_seconds', 'vitrine_backup_timestamp_seconds']

test('a separate port serves the metrics of the server', async (t) => {
  const settings = { PUBLIC_URL: 'https://v.example' }
  const { operator, server, metricsUrl, databaseUrl } = await startMeasured(t, { settings })
  const { token } = await operator.createKey({ limit: 1000, windowSeconds: 3600 })
  const crowd = await openConnections(t, server.url, 30)
  await crowd.ask('/tasks', token, 2)
  await crowd.ask('/workspace', 'wrong')
  for (let i = 0; i < 8; i++)
    await fetch(`${server.url}/oauth/token`, { method: 'POST', headers: { connection: 'close' } })
  let series = await scrape(metricsUrl)
  const expected = metricNames.filter((name) => !OF_POSTGRES.test(name) && !OF_SUCCESS.includes(name))
  await waitUntil(async () => {
    series = await scrape(metricsUrl)
    return namesIn(series).size >= expected.length
  }, SELDOM)

  await t.test('steps of connecting are counted once each, and all others are 0', () => {
    const steps = [...series].filter(([name]) => name.startsWith('vitrine_connection_steps_total'))
    assert.equal(steps.find(([name]) => name.includes('{step="code",outcome="invalid_request"}'))?.[1], 8)
    assert.ok(steps.some(([name]) => name.includes('{step="refresh",outcome="reused"}')))
    assert.equal(
      steps.reduce((sum, [, count]) => sum + count, 0),
      8,
    )
  })

  await t.test('requests are counted once each', () => {
    assert.equal(series.get('vitrine_http_requests_total{operation="/tasks",status="200"}'), 60)
    assert.equal(series.get('vitrine_http_request_duration_seconds_count{operation="/tasks",status="200"}'), 60)
    assert.equal(series.get('vitrine_http_requests_total{operation="/workspace",status="401"}'), 30)
    assert.equal(series.get('vitrine_admissions_total'), 60)
    assert.equal(series.get('vitrine_refusals_total{reason="unauthorized"}'), 30)
    assert.equal(series.get('vitrine_quota_used_ratio_bucket{le="0.1"}'), 60)
    const [hits, misses] = ['hit', 'miss'].map((result) =>
      series.get(`vitrine_response_cache_lookups_total{result="${result}"}`),
    )
    assert.equal((hits ?? 0) + (misses ?? 0), 60)
    assert.equal(series.get('vitrine_response_cache_limit_bytes'), 64 * 1024 * 1024)
  })

  await t.test('open connections are a queue', () => {
    assert.equal(series.get('vitrine_queue_current{queue="connections"}'), 30)
  })

  await t.test("the results of other processes' syncs are read from the database", () => {
    assert.equal(series.get('vitrine_sync_sources{state="failing"}'), 1)
    assert.equal(series.get('vitrine_sync_sources{state="synced"}'), 0)
  })

  await t.test("doctor's checks are measured: size, free disk, keys and definitions", () => {
    assert.equal(series.get('vitrine_database_size_bytes'), statSync(databaseUrl.replace('sqlite:', '')).size)
    assert.ok((series.get('vitrine_database_free_bytes') ?? 0) > 0)
    assert.ok((series.get('vitrine_keys{state="live"}') ?? 0) > 0)
    assert.equal(series.get('vitrine_keys_attention{kind="leaked"}'), 0)
    for (const kind of ['object', 'older', 'reworded', 'missing'])
      assert.equal(series.get(`vitrine_schema_differences{kind="${kind}"}`), 0, kind)
    for (const task of ['use_records', 'notices', 'audit_log', 'audit_retention', 'key_retention', 'metrics'])
      assert.equal(series.get(`vitrine_background_failures_total{task="${task}"}`), 0, task)
  })

  await t.test('every metric of the catalogue is present, and no other', () => {
    assert.deepEqual([...namesIn(series)].sort(), [...expected].sort())
  })

  await t.test('no client-chosen value becomes a series', async () => {
    await fuzz(server.url)
    const before = await scrape(metricsUrl)
    await fuzz(server.url)
    await fuzz(server.url)
    const after = await scrape(metricsUrl)
    assert.deepEqual([...after.keys()].sort(), [...before.keys()].sort())
    const operations = new Set(labelsIn(after, 'operation'))
    const known = ['/tasks', '/workspace', '/v2/mcp', 'health', 'invalid', 'not_found', 'page', 'settings']
    assert.deepEqual(
      [...operations].filter((name) => !known.includes(name)),
      [],
    )
    assert.ok(['not_found', 'invalid', 'page', 'settings'].every((name) => operations.has(name)))
    assert.ok(labelsIn(after, 'status').every((status) => /^([1-5]\d\d|gone)$/.test(status)))
    assert.ok(labelsIn(after, 'reason').every((reason) => problemCodes.some((code) => code === reason)))
  })

  await t.test('its port serves only metrics, and the public port serves none', async () => {
    assert.equal((await fetch(`${server.url}/metrics`)).status, 404)
    const head = await fetch(metricsUrl, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/plain; version=0.0.4; charset=utf-8'])
    assert.equal((await fetch(new URL('/tasks', metricsUrl))).status, 404)
    const posted = await fetch(metricsUrl, { method: 'POST', body: 'x' })
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
  })

  await t.test('promtool has no complaints', skipWithout('promtool'), async () => {
    const input = await (await fetch(metricsUrl)).text()
    const { status, stdout, stderr } = spawnSync(installedProgram('promtool') ?? '', ['check', 'metrics'], { input })
    assert.deepEqual([status, `${stdout}${stderr}`], [0, ''])
  })

  await t.test('it stops with the server', async () => {
    for (const { socket } of crowd.connections) socket.destroy()
    assert.equal(await server.stop(), 0)
    await untilRefused(metricsUrl)
  })
})

const labelsIn = (series: Series, label: string) =>
  [...series.keys()].flatMap((key) => new RegExp(`[{,]${label}="([^"]*)"`).exec(key)?.[1] ?? [])

let made = 0
/** Never the same twice. */
const madeUp = () => `zq${(made++).toString(36)}${Math.random().toString(36).slice(2)}`

/** The same kinds of requests each time, with other words in them. */
async function fuzz(url: string): Promise<void> {
  const paths = ['/%w', '/tasks?%w', '/v2/mcp', '/docs/%w', '/settings/%w', '%w']
  const lines = paths.flatMap((path) => ['GET', '%w'].map((method) => `${method} ${path} HTTP/1.1`))
  for (const line of lines) {
    const { socket, write } = await openRaw(url)
    const headers = ['Authorization: Bearer %w', 'User-Agent: %w', 'X-%w: %w', 'Host: %w', 'Connection: close']
    write([line, ...headers, '', ''].join('\r\n').replaceAll('%w', madeUp))
    await untilSocketCloses(socket)
  }
}

test(
  'on PostgreSQL the pools are measured, and an outage does not hang the scrape',
  skipWithoutPostgres(),
  async (t) => {
    const network = await startCutProxy(Number(new URL(postgresUrl() ?? '').port))
    t.after(() => network.close())
    const through = (databaseUrl: string) => {
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${network.port}`
      return url.href
    }
    const { operator, server, metricsUrl } = await startMeasured(t, { engine: 'postgres', through })
    const { token } = await operator.createKey()
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${server.url}/tasks`, { headers })
    const before = await scrape(metricsUrl)
    assert.equal(before.get('vitrine_postgres_pool_connections_limit{pool="reads"}'), 4)
    assert.ok((before.get('vitrine_postgres_pool_connections_current{pool="admits"}') ?? 0) > 0)
    assert.equal(before.get('vitrine_queue_limit{queue="admissions"}'), 5000)
    const sizes = async () => (await scrape(metricsUrl)).get('vitrine_database_size_bytes') ?? 0
    await waitUntil(async () => (await sizes()) > 1_000_000, SELDOM)
    network.setSilent(true)
    const errors = 'vitrine_metrics_database_errors_total'
    await waitUntil(async () => ((await scrape(metricsUrl)).get(errors) ?? 0) > 0, SELDOM)
  },
)
