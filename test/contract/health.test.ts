// On both engines: tables are renamed under a server.
import assert from 'node:assert/strict'
import test from 'node:test'
import { assertHeaders, assertProblem } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'

for (const [path, body] of [
  ['/healthz', '{"status":"alive"}'],
  ['/readyz', '{"status":"ready"}'],
] as const) {
  test(`${path} responds without a key, and is never cached`, async (t) => {
    const { send } = await startContractService(t)
    const response = await send(path)
    assert.equal(response.status, 200)
    assert.equal(response.text, body)
    assertHeaders(response, {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'cache-control': 'no-store',
    })
    const head = await send(path, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(head.body.length, 0)
  })
}

// Each of them makes every request of some path a 500.
test('a server whose database lacks any table that requests need is alive and not ready; only its log says why', async (t) => {
  const { send, changeElsewhere, logLines } = await startContractService(t)
  for (const table of ['api_keys', 'workspaces', 'list_items', 'stored_lists']) {
    assert.equal((await send('/readyz')).status, 200)
    await changeElsewhere(`ALTER TABLE ${table} RENAME TO gone`)
    assert.equal((await send('/healthz')).status, 200)
    const response = await send('/readyz')
    assertProblem(response, 503, 'not_ready')
    assert.doesNotMatch(response.text, new RegExp(`${table}|no such table|sqlite`, 'i'))
    assert.ok(logLines.some((line) => line.includes('not ready') && line.includes(table)))
    await changeElsewhere(`ALTER TABLE gone RENAME TO ${table}`)
  }
  assert.equal((await send('/readyz')).status, 200)
})
