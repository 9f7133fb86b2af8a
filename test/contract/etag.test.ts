import assert from 'node:assert/strict'
import { assertHeaders, window } from '../support/assertions.ts'
import { contractClient, startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { replicaOf } from '../support/replicas.ts'

const test = testWith(startContractService)

for (const path of ['/workspace', '/tasks']) {
  test(`${path} has a strong ETag, the same on every replica, and returns 304 for it without a body`, async (service, t) => {
    await service.addTasks([{ id: 'a', title: 'Ring Löwe & Söhne' }])
    const { etag = '' } = (await service.get(path)).headers
    assert.match(etag, /^"[\w-]{16,}"$/)
    const replica = await replicaOf(t, service)
    const other = await contractClient(replica.url, service.key)
    assert.equal((await other.get(path)).headers.etag, etag)
    const response = await other.get(path, { 'if-none-match': etag })
    assert.deepEqual([response.status, response.body.length], [304, 0])
    const remaining = Number(response.headers['ratelimit-remaining'])
    assertHeaders(response, { 'cache-control': 'private, no-cache', etag, ...window(remaining) })
  })

  test(`${path} accepts If-None-Match in every form of RFC 9110`, async ({ get }) => {
    const etag = (await get(path)).headers.etag ?? ''
    const others = ['"other"', '"other", W/"third"', etag.replaceAll('"', ''), '']
    others.push(etag.toLowerCase() === etag ? '""' : etag.toLowerCase())
    for (const [status, values] of [
      [304, [`W/${etag}`, `"other", ${etag}`, `"other",${etag},W/"third"`, '*']],
      [200, others],
    ] as const)
      for (const value of values) assert.equal((await get(path, { 'if-none-match': value })).status, status, value)
  })
}
