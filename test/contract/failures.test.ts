import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import test from 'node:test'
import { storeBusy } from '../../src/database/errors.ts'
import { ProblemError } from '../../src/problems/problem.ts'
import { assertMcpProblem, assertProblem, POLICY, window } from '../support/assertions.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { failingResource } from '../support/failing-resource.ts'
import { assertRpcError, startModernService } from '../support/modern-client.ts'

const SECRET = `vtr_${'S3cr3t'.repeat(8)}x`
const FAILURE = new Error(
  `SELECT hash FROM api_keys WHERE token = '${SECRET}' failed in /srv/vitrine/data/vitrine.db: disk I/O error`,
)

/** A service whose only resource throws this, on REST and for its tool: without arguments the whole body is read, otherwise a page. */
async function startFailing(t: TestContext, thrown: unknown) {
  const service = await startModernService(t, { resources: [failingResource(thrown)] })
  const read = () => service.get('/failing')
  const calls = [undefined, {}, { limit: 1 }].map((args) => ({ name: 'read_failing', arguments: args }))
  const callOld = () =>
    Promise.all(calls.map((params) => service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })))
  const callModern = () => Promise.all(calls.map((params) => service.ask('tools/call', params)))
  const errors = () => service.logLines.filter((line) => JSON.parse(line).level >= 50)
  return { ...service, read, callOld, callModern, errors }
}

/** The response contains nothing about the failure or the code that failed. */
function assertTellsNothing({ text, headers }: HttpResponse): void {
  assert.doesNotMatch(text + JSON.stringify(headers), /SELECT|api_keys|vtr_|srv|\.db|I\/O|\.ts|node:|no such table/)
}

test('an unexpected failure reveals only the request id: a 500 problem, and -32603 for a tool', async (t) => {
  const { read, callOld, callModern, logLines } = await startFailing(t, FAILURE)
  const rest = await read()
  assertProblem(rest, 500, 'internal_error', window(599))
  assert.ok((rest.json as { detail: string }).detail.includes(rest.headers['x-request-id'] ?? '-'))
  const old = await callOld()
  for (const { status, json } of old) {
    const { error, ...envelope } = json as { error: { code: number } }
    assert.deepEqual([status, envelope, error.code], [200, { jsonrpc: '2.0', id: 1 }, -32603])
    assert.deepEqual(Object.keys(error), ['code', 'message'])
  }
  const modern = await callModern()
  for (const response of modern) {
    const expected = { status: 200, error: -32603, problem: 'internal_error', problemStatus: 500, id: '1' }
    assert.ok(assertRpcError(response, expected).includes(response.headers['x-request-id'] ?? '-'))
  }
  for (const response of [rest, ...old, ...modern]) {
    assertTellsNothing(response)
    const requestId = response.headers['x-request-id'] ?? '-'
    assert.ok(logLines.some((line) => line.includes(requestId) && line.includes('disk I/O error')))
  }
})

test('the log has the cause under the request id, without key, path or stack', async (t) => {
  const { read, key, logLines } = await startFailing(t, FAILURE)
  const { headers } = await read()
  const lines = logLines.filter((line) => line.includes(headers['x-request-id'] ?? '-'))
  const failure = lines.map((line) => JSON.parse(line)).find(({ level }) => level >= 50)
  assert.match(JSON.stringify(failure), /disk I\/O error/)
  for (const line of lines) {
    assert.doesNotMatch(line, /S3cr3t|\/srv|vitrine\.db|\n.*\n|\bat .*:\d+:\d+/)
    assert.ok(!line.includes(key.slice(10)))
  }
})

for (const [what, thrown, status, code] of [
  ['a busy database', storeBusy, 503, 'overloaded'],
  [
    'a problem that a tool throws',
    new ProblemError('bad_request', 'The shelf is closed.', 'Come back tomorrow.'),
    400,
    'bad_request',
  ],
] as const)
  test(`${what} is ${status}, for tools of both versions as on REST, and not an error in the log`, async (t) => {
    const { read, callOld, callModern, errors } = await startFailing(t, thrown)
    const tools = [...(await callOld()), ...(await callModern())]
    for (const response of tools) assertMcpProblem(response, status, code)
    // No operation of REST has a problem of its own.
    const rest = status === 400 ? [] : [await read()]
    for (const response of rest) assertProblem(response, status, code)
    for (const response of [...rest, ...tools]) {
      assert.ok(response.headers['ratelimit-remaining'], 'the key was recognised')
      if (status === 503) assert.match(response.headers['retry-after'] ?? '', /^[123]$/)
      else assert.match(response.text, /"detail":"The shelf is closed\.","hint":"Come back tomorrow\."/)
    }
    assert.deepEqual(errors(), [])
  })

test('a database that fails while the key is looked up is 500, without window headers', async (t) => {
  const { get, rpc, changeElsewhere } = await startModernService(t)
  await changeElsewhere('DROP TABLE api_keys')
  const rest = await get('/workspace')
  assertProblem(rest, 500, 'internal_error', POLICY)
  const mcp = await rpc({ jsonrpc: '2.0', id: 1, method: 'ping' })
  assertMcpProblem(mcp, 500, 'internal_error', POLICY)
  for (const response of [rest, mcp]) assertTellsNothing(response)
})
