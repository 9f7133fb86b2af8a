import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { all, hasStructuredText, hasToolText, isJson, isRecorded, isRpc } from '../../../bench/harness/checks.ts'
import { compare, isFailure, type Target } from '../../../bench/harness/compare.ts'
import { exchange, type RawResponse } from '../../../bench/harness/exchange.ts'
import { spentNs } from '../../../bench/harness/process-stats.ts'
import { toBytes } from '../../../bench/load/load.ts'
import { comparisonTable } from '../../../bench/report/table.ts'
import { listen } from '../../support/listen.ts'

const request = toBytes({ method: 'GET', path: '/' })
const schedule = { warmUpSeconds: 0.02, roundSeconds: 0.02, rounds: 2, latencySeconds: 0.05 }
const RIGHT = JSON.stringify({ tasks: ['é', '東'] })

async function serve(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  t.after(() => server.close())
  return listen(server)
}

/** A target in this process, because its cost does not matter here. */
async function target(t: TestContext, name: string, bodyOf: (request: number) => string): Promise<Target> {
  let requests = 0
  const port = await serve(t, (_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(bodyOf(requests++))
  })
  const server = {
    name,
    pid: process.pid,
    port,
    startMs: 0,
    cpuTime: () => ({ threads: new Map([['1', performance.now() * 1e6]]), ticks: 0 }),
    rssBytes: () => 1,
    emptyLog: () => {},
    pause: () => {},
    resume: () => {},
    stop: async () => {},
  }
  return { name, server, request, check: isJson(JSON.parse(RIGHT)) }
}

test('a server that responds correctly is counted in every round; any other is shown with the reason', async (t) => {
  const results = await compare(
    [
      await target(t, 'bare', () => RIGHT),
      await target(t, 'right', () => RIGHT),
      await target(t, 'wrong from the start', () => RIGHT.replace('é', 'e')),
      await target(t, 'shorter under load', (n) => (n === 5 ? RIGHT.replace('é', '') : RIGHT)),
      await target(t, 'wrong in the end', (n) => (n === 0 ? RIGHT : RIGHT.replace('東', '西'))),
      { ...(await target(t, 'not there', () => RIGHT)), server: new Error('it did not start') },
    ],
    schedule,
  )
  const failures = Object.fromEntries(results.filter(isFailure).map(({ name, failure }) => [name, failure]))
  assert.deepEqual(failures, {
    'wrong from the start': 'its JSON is not what was to be sent',
    'shorter under load': 'a body of 20 bytes instead of 22',
    'wrong in the end': 'its JSON is not what was to be sent',
    'not there': 'it did not start',
  })
  for (const result of results) if (!isFailure(result)) assert.equal(result.perCpuSecond.length, 2)
  assert.match(comparisonTable(results), /\| not there \| failed: it did not start \|/)
})

test('a table without a valid baseline shows no ratios', async (t) => {
  const results = await compare([await target(t, 'bare', () => '{}'), await target(t, 'x', () => RIGHT)], schedule)
  assert.match(comparisonTable(results), /no baseline/)
})

const response = (body: string, headers: [string, string][] = [], status = 200): RawResponse => {
  const bytes = Buffer.from(body)
  return { status, headers: [['Content-Type', 'application/json'], ...headers], body: bytes, bytes: bytes.length }
}

test('a recorded response is matched by its bytes, and by the names and lengths of its headers', () => {
  const check = isRecorded(response(RIGHT, [['X-Request-Id', 'abc']]))
  assert.equal(check(response(RIGHT, [['x-request-id', 'xyz']])), undefined)
  assert.match(check(response(RIGHT, [['X-Request-Id', 'abcd']])) ?? '', /headers/)
  assert.match(check(response(RIGHT)) ?? '', /headers/)
  assert.match(check(response(` ${RIGHT}`, [['X-Request-Id', 'abc']])) ?? '', /bytes/)
  assert.match(check(response(RIGHT, [['X-Request-Id', 'abc']], 304)) ?? '', /status 304/)
})

test('only the time within a recorded response may differ', () => {
  const structured = (asOf: string, title = 'Linen') => JSON.stringify({ asOf, tasks: [{ title }] })
  const body = (asOf: string, title?: string) =>
    JSON.stringify({ text: structured(asOf, title), structuredContent: JSON.parse(structured(asOf, title)) })
  const check = isRecorded(response(body('2026-11-15T12:00:00.000Z')))
  assert.equal(check(response(body('2026-11-15T12:00:01.234Z'))), undefined)
  assert.match(check(response(body('2026-11-15T12:00:01.234Z', 'Lines'))) ?? '', /bytes/)
  assert.match(check(response(body('2026-11-15T12:00:01Z'))) ?? '', /bytes/)
})

test('structured content must contain the tasks, and its text the same JSON', () => {
  const tasks = [{ id: 'a' }]
  const structuredContent = { asOf: '2026-11-15T12:00:00.000Z', hasMore: false, tasks }
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }]
  assert.ok(hasStructuredText(tasks)({ content, structuredContent }))
  assert.ok(!hasStructuredText([])({ content, structuredContent }))
  assert.ok(!hasStructuredText(tasks)({ content, structuredContent: { ...structuredContent, hasMore: true } }))
  assert.ok(!hasStructuredText(tasks)({ content }))
})

test('a tool’s response is matched by id and by the JSON in its text', () => {
  const check = all(isRpc(7, hasToolText(JSON.parse(RIGHT))))
  const message = (id: number, text: string) =>
    JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
  assert.equal(check(response(message(7, RIGHT))), undefined)
  assert.match(check(response(message(8, RIGHT))) ?? '', /id 8/)
  assert.match(check(response(message(7, '{}'))) ?? '', /result/)
  assert.match(check(response('{"jsonrpc":"2.0","id":7,"error":{"code":-32603}}')) ?? '', /error/)
  assert.match(check(response('not found', [], 404)) ?? '', /status 404/)
})

test('a chunked response is reassembled', async (t) => {
  const port = await serve(t, (_req, res) => {
    res.write('a'.repeat(20))
    res.end('東')
  })
  const { body, bytes } = await exchange(port, request)
  assert.equal(body.toString(), `${'a'.repeat(20)}東`)
  assert.ok(bytes > body.length)
})

test('the CPU time of a thread that has ended is not lost', () => {
  const times = (threads: Record<string, number>, ticks: number) => ({
    threads: new Map(Object.entries(threads)),
    ticks,
  })
  const before = times({ 1: 100, 2: 50 }, 10)
  assert.equal(spentNs(before, times({ 1: 150, 2: 60, 3: 7 }, 10)), 67)
  assert.equal(spentNs(before, times({ 1: 150 }, 13)), 30_000_000)
})
