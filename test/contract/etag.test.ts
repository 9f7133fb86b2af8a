import assert from 'node:assert/strict'
import { assertHeaders, window } from '../support/assertions.ts'
import { updateWorkspace } from '../support/changes.ts'
import { contractClient, startContractService } from '../support/contract-service.ts'
import { startReplica } from '../support/replica.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

for (const path of ['/workspace', '/tasks']) {
  test(`${path} has a strong ETag that stays the same while the data does`, async ({ get }) => {
    const first = await get(path)
    const second = await get(path)
    assert.match(first.headers.etag ?? '', /^"[\w-]{16,}"$/)
    assert.equal(second.headers.etag, first.headers.etag)
  })

  test.once(`${path} returns 304 without a body for If-None-Match with its ETag`, async ({ get }) => {
    const { headers } = await get(path)
    const response = await get(path, { 'if-none-match': headers.etag ?? '' })
    assert.equal(response.status, 304)
    assert.equal(response.body.length, 0)
    assertHeaders(response, {
      'cache-control': 'private, no-cache',
      etag: headers.etag ?? '',
      ...window(598),
    })
  })

  test.once(`${path} accepts If-None-Match in every form of RFC 9110`, async ({ get }) => {
    const etag = (await get(path)).headers.etag ?? ''
    const statusFor = async (ifNoneMatch: string) => (await get(path, { 'if-none-match': ifNoneMatch })).status
    assert.equal(await statusFor(`W/${etag}`), 304)
    assert.equal(await statusFor(`"other", ${etag}`), 304)
    assert.equal(await statusFor(`"other",${etag},W/"third"`), 304)
    assert.equal(await statusFor('*'), 304)
    assert.equal(await statusFor('"other"'), 200)
    assert.equal(await statusFor('"other", W/"third"'), 200)
    assert.equal(await statusFor(etag.replaceAll('"', '')), 200)
    assert.equal(await statusFor(etag.toLowerCase() === etag ? '""' : etag.toLowerCase()), 200)
    assert.equal(await statusFor(''), 200)
  })

  test(`the ETag of ${path} is the same on every replica and after a restart`, async (service, t) => {
    await service.addTasks([{ id: 'a', title: 'Ring Löwe & Söhne' }])
    const replica = await startReplica(t, service)
    const other = await contractClient(replica.url, service.key)
    const here = await service.get(path)
    assert.equal((await other.get(path)).headers.etag, here.headers.etag)
    assert.equal((await other.get(path, { 'if-none-match': here.headers.etag ?? '' })).status, 304)
  })
}

test('the ETag of /workspace changes when the workspace does', async (service) => {
  const before = (await service.get('/workspace')).headers.etag ?? ''
  await updateWorkspace(service.operator, 'acme', { name: 'Acme & Daughters' }, 'test')
  const after = await service.get('/workspace', { 'if-none-match': before })
  assert.equal(after.status, 200)
  assert.notEqual(after.headers.etag, before)
  assert.match(after.text, /"name":"Acme & Daughters"/)
})

test('the ETag of /tasks changes when a task does, and comes back with the old data', async (service) => {
  await service.addTasks([{ id: 'a', title: 'Before' }])
  const before = (await service.get('/tasks')).headers.etag ?? ''
  await service.addTasks([{ id: 'a', title: 'After' }])
  const changed = await service.get('/tasks', { 'if-none-match': before })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.etag, before)
  await service.addTasks([{ id: 'a', title: 'Before' }])
  assert.equal((await service.get('/tasks', { 'if-none-match': before })).status, 304)
})
