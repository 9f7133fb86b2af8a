import assert from 'node:assert/strict'
import { assertProblem, window } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'
import { createBareWorkspace, setArchived } from '../support/workspaces.ts'

const test = testWith(startContractService)

test("GET /workspace returns the key's workspace, field by field", async ({ get }) => {
  const response = await get('/workspace')
  assert.equal(response.status, 200)
  const { id } = (response.json as { workspace: { id: string } }).workspace
  assert.match(id, /^ws_\w+$/)
  assert.equal(
    response.text,
    `{"workspace":{"id":"${id}","name":"Acme Buying","slug":"acme","timezone":"Europe/London","currencyCode":"GBP","countryCode":"GB"}}`,
  )
})

test('unset defaults are null, never left out', async (service) => {
  const { id, key } = await createBareWorkspace(service)
  const response = await service.get('/workspace', { authorization: `Bearer ${key}` })
  assert.deepEqual(response.json, {
    workspace: {
      id,
      name: 'The bare workspace',
      slug: 'bare',
      timezone: null,
      currencyCode: null,
      countryCode: null,
    },
  })
})

test('a query string is ignored', async ({ get }) => {
  const plain = await get('/workspace')
  const asked = await get('/workspace?fields=name&%zz=1')
  assert.equal(asked.status, 200)
  assert.equal(asked.text, plain.text)
})

test('an archived workspace is 404 workspace_not_found, also for a client with its ETag, until it is restored', async (service) => {
  const before = await service.get('/workspace')
  await setArchived(service, '2026-11-15T11:00:00.000Z')
  assertProblem(await service.get('/workspace'), 404, 'workspace_not_found', { ...window(598) })
  const headers = { 'if-none-match': before.headers.etag ?? '' }
  assertProblem(await service.get('/workspace', headers), 404, 'workspace_not_found')
  await setArchived(service, null)
  const back = await service.get('/workspace')
  assert.equal(back.status, 200)
  assert.equal(back.text, before.text)
})

test('a key outlives its workspace: of a deleted one, the workspace is 404 and its tasks are none', async (service) => {
  const { get, addTasks, changeElsewhere } = service
  await addTasks([{ id: 'a' }])
  assert.match((await get('/tasks')).text, /"id":"a"/)
  assert.equal((await get('/workspace')).status, 200)
  await changeElsewhere("DELETE FROM workspaces WHERE slug = 'acme'")
  assertProblem(await get('/workspace'), 404, 'workspace_not_found')
  const gone = await get('/tasks')
  assert.deepEqual([gone.status, gone.text], [200, '{"tasks":[]}'])
})
