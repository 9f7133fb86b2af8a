import assert from 'node:assert/strict'
import test from 'node:test'
import { assertHeaders, assertProblem } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { changeFromOtherProcess } from '../support/other-process.ts'

for (const [path, body] of [
  ['/healthz', '{"status":"alive"}'],
  ['/readyz', '{"status":"ready"}'],
] as const) {
  test(`${path} answers without a key, and is never cached`, async (t) => {
    const { send } = await startContractService(t)
    const answer = await send(path)
    assert.equal(answer.status, 200)
    assert.equal(answer.text, body)
    assertHeaders(answer, {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'cache-control': 'no-store',
    })
    const head = await send(path, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(head.body.length, 0)
  })
}

test('a server whose store fails is alive but not ready, and tells only its log why', async (t) => {
  const { send, databaseUrl, logLines } = await startContractService(t)
  await changeFromOtherProcess(databaseUrl, 'DROP TABLE workspaces')
  assert.equal((await send('/healthz')).status, 200)
  const answer = await send('/readyz')
  assertProblem(answer, 503, 'not_ready')
  assert.doesNotMatch(answer.text, /workspaces|no such table|sqlite/i)
  assert.ok(logLines.some((line) => line.includes('not ready')))
})
