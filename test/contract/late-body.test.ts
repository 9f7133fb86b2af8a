import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { assertMcpProblem, POLICY } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { openAdmitted } from '../support/raw.ts'
import { NOON } from '../support/service.ts'

const call = (tool: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{}}}`

/** Requests whose head was admitted, as the 100 shows, and whose body the test sends after something else has happened. */
async function start(t: TestContext) {
  const service = await startContractService(t)
  const begin = async (isChunked: boolean, { expiresAt = null as string | null, path = '/mcp' } = {}) => {
    const { token, id } = await service.createKey({ expiresAt })
    const finish = async (body: string, meanwhile: (id: string) => unknown) => {
      const connection = await openAdmitted(service.url, token, isChunked ? 'in chunks' : body.length, path)
      await meanwhile(id)
      if (isChunked)
        for (const part of [body.slice(0, 9), body.slice(9), ''])
          connection.write(`${part.length.toString(16)}\r\n${part}\r\n`)
      else connection.write(body)
      const response = await connection.next()
      service.conform('POST', path, response)
      return response
    }
    return { token, finish }
  }
  return { ...service, begin }
}

for (const isChunked of [false, true]) {
  const framing = isChunked ? 'in chunks' : 'with a length'

  test(`a key revoked, paused or expired before the body arrived, ${framing}, reads nothing: 401 as for any invalid key`, async (t) => {
    const { begin, keys, addTasks, time, get } = await start(t)
    const revoked = await begin(isChunked)
    const response = await revoked.finish(call('list_tasks'), async (id) => {
      await keys.revoke(id)
      await addTasks([{ id: 'secret', title: 'Written after the revocation' }])
    })
    const challenge = 'Bearer realm="vitrine", error="invalid_token"'
    assertMcpProblem(response, 401, 'unauthorized', { 'www-authenticate': challenge, ...POLICY })
    assert.doesNotMatch(response.text, /Written/)
    assert.equal((await get('/tasks', { authorization: `Bearer ${revoked.token}` })).status, 401)
    const paused = await begin(isChunked)
    assertMcpProblem(await paused.finish(call('list_tasks'), (id) => keys.pause(id)), 401, 'unauthorized')
    const expiring = await begin(isChunked, { expiresAt: new Date(NOON + 10_000).toISOString() })
    const late = await expiring.finish(call('list_tasks'), () => {
      time.now += 10_000
    })
    assertMcpProblem(late, 401, 'unauthorized')
  })

  test(`an invalid key is reported before faults of a late body, ${framing}, and for a notification too`, async (t) => {
    const { begin, keys } = await start(t)
    for (const path of ['/mcp', '/v2/mcp'])
      for (const body of ['not JSON at all', '{"jsonrpc":"2.0","method":"notifications/initialized"}']) {
        const { finish } = await begin(isChunked, { path })
        assertMcpProblem(await finish(body, (id) => keys.revoke(id)), 401, 'unauthorized')
      }
  })

  test(`a late body, ${framing}, gets the data and permissions of its own time, and is counted once`, async (t) => {
    const { begin, addTasks, changeElsewhere } = await start(t)
    const ask = async (tool: string, meanwhile: (id: string) => unknown) =>
      (await begin(isChunked)).finish(call(tool), meanwhile)
    const fresh = await ask('list_tasks', () => addTasks([{ id: 'new', title: 'New' }]))
    assert.match(fresh.text, /\\"id\\":\\"new\\"/)
    assert.equal(fresh.headers['ratelimit-remaining'], '599')
    const forbidden = await ask('list_tasks', (id) =>
      changeElsewhere(`UPDATE api_keys SET permissions = 'workspace:read' WHERE id = '${id}'`),
    )
    assert.equal((forbidden.json as { error: { code: number } }).error.code, -32003)
    const gone = await ask('get_workspace', () =>
      changeElsewhere(`UPDATE workspaces SET archived_at = '2026-11-15T00:00:00.000Z'`),
    )
    assert.equal((gone.json as { result: { isError: boolean } }).result.isError, true)
  })
}
