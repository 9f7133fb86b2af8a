import assert from 'node:assert/strict'
import { assertProblem, window } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/database.ts'

const test = testWith(startContractService)

for (const [path, tool, lacking, having] of [
  ['/workspace', 'get_workspace', 'workspace:read', 'tasks:read'],
  ['/tasks', 'list_tasks', 'tasks:read', 'workspace:read'],
] as const) {
  test(`${path} needs only ${lacking}; without it, it is a 403 that names it, also for a client with the ETag`, async ({
    createKey,
    get,
    send,
  }) => {
    const { token: key } = await createKey({ permissions: [lacking] })
    const { status, headers: known } = await get(path, { authorization: `Bearer ${key}` })
    assert.equal(status, 200)
    const { token } = await createKey({ permissions: [having] })
    const headers = { authorization: `Bearer ${token}` }
    const response = await get(path, headers)
    assertProblem(response, 403, 'forbidden', window(599))
    assert.match((response.json as { detail: string }).detail, new RegExp(lacking))
    assert.equal((await send(path, { method: 'HEAD', headers })).status, 403)
    for (const etag of [known.etag ?? '', '*'])
      assertProblem(await get(path, { ...headers, 'if-none-match': etag }), 403, 'forbidden')
  })

  test(`calling ${tool} with a key without ${lacking} is -32003, whatever the arguments`, async ({
    createKey,
    call,
  }) => {
    const { token } = await createKey({ permissions: [having] })
    for (const args of [undefined, {}, { nonsense: true }]) {
      const { error, result } = await call(tool, args, token)
      assert.deepEqual([error?.code, result], [-32003, undefined])
      assert.match(error?.message ?? '', new RegExp(lacking))
    }
  })
}
