import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem, assertProblem, POLICY, window } from '../support/assertions.ts'
import { type ContractService, startContractService } from '../support/contract-service.ts'
import { changeElsewhere, testOnce } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { failingResource, storeFailures, thrownProblem } from '../support/failing-resource.ts'

const SECRET = `vtr_${'S3cr3t'.repeat(8)}x`
const FAILURE = new Error(
  `SELECT hash FROM api_keys WHERE token = '${SECRET}' failed in /srv/vitrine/data/vitrine.db: disk I/O error`,
)

/** The response contains nothing about the failure or the code that failed. */
function assertTellsNothing({ text, headers }: HttpResponse): void {
  assert.doesNotMatch(text + JSON.stringify(headers), /SELECT|api_keys|vtr_|srv|\.db|I\/O|\.ts|node:|no such table/)
}

testOnce('an unexpected failure is a 500 problem that reveals only the request id', async (t) => {
  const { get } = await startContractService(t, { resources: [failingResource(FAILURE)] })
  const response = await get('/failing')
  assertProblem(response, 500, 'internal_error', window(599))
  assertTellsNothing(response)
  assert.ok((response.json as { detail: string }).detail.includes(response.headers['x-request-id'] ?? '-'))
})

testOnce('the log has the cause under the request id, without key, path or stack', async (t) => {
  const { get, key, logLines } = await startContractService(t, { resources: [failingResource(FAILURE)] })
  const { headers } = await get('/failing')
  const lines = logLines.filter((line) => line.includes(headers['x-request-id'] ?? '-'))
  const failure = lines.map((line) => JSON.parse(line)).find(({ level }) => level >= 50)
  assert.match(JSON.stringify(failure), /disk I\/O error/)
  for (const line of lines) {
    assert.doesNotMatch(line, /S3cr3t|\/srv|vitrine\.db|\n.*\n|\bat .*:\d+:\d+/)
    assert.ok(!line.includes(key.slice(10)))
  }
})

testOnce('a thrown value need not be an Error', async (t) => {
  for (const thrown of [`a string with ${SECRET}`, undefined, null, { secret: SECRET }]) {
    const { get, logLines } = await startContractService(t, { resources: [failingResource(thrown)] })
    const response = await get('/failing')
    assertProblem(response, 500, 'internal_error')
    assertTellsNothing(response)
    assert.ok(!logLines.join('').includes('S3cr3t'))
  }
})

/** Without arguments the whole body is read, otherwise a page. */
const callFailing = (rpc: ContractService['rpc']) =>
  Promise.all(
    [{}, { limit: 1 }].map((args) =>
      rpc({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name: 'read_failing', arguments: args } }),
    ),
  )

const errorsIn = (logLines: string[]) => logLines.filter((line) => JSON.parse(line).level >= 50)

testOnce('a tool that fails is -32603 within a 200, without the cause', async (t) => {
  const { rpc, logLines } = await startContractService(t, { resources: [failingResource(FAILURE)] })
  for (const response of await callFailing(rpc)) {
    assert.equal(response.status, 200)
    const { jsonrpc, id, error, ...rest } = response.json as { jsonrpc: string; id: string; error: { code: number } }
    assert.deepEqual({ jsonrpc, id, rest }, { jsonrpc: '2.0', id: 'x', rest: {} })
    assert.equal(error.code, -32603)
    assert.deepEqual(Object.keys(error), ['code', 'message'])
    assertTellsNothing(response)
    const requestId = response.headers['x-request-id'] ?? '-'
    assert.ok(logLines.some((line) => line.includes(requestId) && line.includes('disk I/O error')))
  }
})

test('a lost database is 500 for a tool as on REST, and is not logged again for each request', async (t) => {
  const { get, rpc, logLines } = await startContractService(t, { resources: [failingResource(storeFailures.lost)] })
  assertProblem(await get('/failing'), 500, 'internal_error')
  for (const response of await callFailing(rpc)) {
    assertMcpProblem(response, 500, 'internal_error')
    assertTellsNothing(response)
  }
  assert.deepEqual(errorsIn(logLines), [])
})

testOnce('a problem that a tool throws is returned as that problem, not as a failure', async (t) => {
  const { rpc, logLines } = await startContractService(t, { resources: [failingResource(thrownProblem)] })
  for (const response of await callFailing(rpc)) {
    assertMcpProblem(response, 400, 'bad_request')
    const { detail, hint } = response.json as { detail: string; hint: string }
    assert.deepEqual([detail, hint], ['The shelf is closed.', 'Come back tomorrow.'])
  }
  assert.deepEqual(errorsIn(logLines), [])
})

test('a store that fails while the tasks are read is 500 on REST and -32603 on MCP', async (t) => {
  const { get, call, databaseUrl } = await startContractService(t)
  await changeElsewhere(databaseUrl, 'ALTER TABLE list_items RENAME TO elsewhere')
  const response = await get('/tasks')
  assertProblem(response, 500, 'internal_error')
  assertTellsNothing(response)
  assert.equal((await call('list_tasks')).error?.code, -32603)
  assert.equal((await get('/workspace')).status, 200)
})

test('a store that fails while the key is looked up is 500, without window headers', async (t) => {
  const { get, rpc, databaseUrl } = await startContractService(t)
  await changeElsewhere(databaseUrl, 'DROP TABLE api_keys')
  const rest = await get('/workspace')
  assertProblem(rest, 500, 'internal_error', POLICY)
  const mcp = await rpc({ jsonrpc: '2.0', id: 1, method: 'ping' })
  assertMcpProblem(mcp, 500, 'internal_error', POLICY)
  for (const response of [rest, mcp]) assertTellsNothing(response)
})
