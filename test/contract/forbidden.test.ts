// Run once: permissions are compared outside the database.
import assert from 'node:assert/strict'
import { assertHeaders, assertProblem, problemBody, window } from '../support/assertions.ts'
import { type ContractService, startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

async function keyFor({ createKey }: ContractService, ...permissions: string[]) {
  const { token } = await createKey({ permissions })
  return { token, headers: { authorization: `Bearer ${token}` } }
}

for (const [path, lacking, having] of [
  ['/workspace', 'workspace:read', 'tasks:read'],
  ['/tasks', 'tasks:read', 'workspace:read'],
] as const) {
  test(`${path} is 403 for a key without ${lacking}, which is named`, async (service) => {
    const { headers } = await keyFor(service, having)
    const response = await service.get(path, headers)
    assertProblem(response, 403, 'forbidden')
    assert.match((response.json as { detail: string }).detail, new RegExp(lacking))
    assertHeaders(response, {
      ...problemBody(response),
      ...window(599),
    })
    assert.equal((await service.send(path, { method: 'HEAD', headers })).status, 403)
  })

  test(`${path} is 200 for a key with only ${lacking}, and 403 also for a client that has its ETag`, async (service) => {
    assert.equal((await service.get(path, (await keyFor(service, lacking)).headers)).status, 200)
    const { headers } = await keyFor(service, having)
    const etag = (await service.get(path)).headers.etag ?? ''
    assertProblem(await service.get(path, { ...headers, 'if-none-match': etag }), 403, 'forbidden')
    assertProblem(await service.get(path, { ...headers, 'if-none-match': '*' }), 403, 'forbidden')
  })
}

for (const [tool, lacking, having] of [
  ['get_workspace', 'workspace:read', 'tasks:read'],
  ['list_tasks', 'tasks:read', 'workspace:read'],
] as const) {
  test(`calling ${tool} with a key without ${lacking} is -32003, whatever the arguments`, async (service) => {
    const { token } = await keyFor(service, having)
    for (const args of [undefined, {}, { nonsense: true }]) {
      const reply = await service.call(tool, args, token)
      assert.equal(reply.error?.code, -32003)
      assert.match(reply.error?.message ?? '', new RegExp(lacking))
      assert.equal(reply.result, undefined)
    }
  })
}

test('tools/list shows only the tools that a key may use', async (service) => {
  const namesFor = async (...permissions: string[]) => {
    const { headers } = await keyFor(service, ...permissions)
    const { json } = await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
    return (json as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
  }
  assert.deepEqual(await namesFor('workspace:read', 'tasks:read'), ['get_workspace', 'list_tasks'])
  assert.deepEqual(await namesFor('workspace:read'), ['get_workspace'])
  assert.deepEqual(await namesFor('tasks:read'), ['list_tasks'])
})

test('a key with any permission may initialize and ping', async (service) => {
  const { headers } = await keyFor(service, 'tasks:read')
  for (const method of ['initialize', 'ping']) {
    const response = await service.rpc({ jsonrpc: '2.0', id: 1, method }, headers)
    assert.equal((response.json as { error?: unknown }).error, undefined)
  }
})
