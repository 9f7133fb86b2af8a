import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { assertMcpProblem, POLICY } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { connectElsewhere, engineUnderTest } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { openRaw } from '../support/raw.ts'
import { NOON } from '../support/service.ts'

const call = (tool: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{}}}`
const framings = ['with a length', 'in chunks'] as const
/** PostgreSQL repeats one framing: the database does not see how a body is sent. */
const tried = engineUnderTest() === 'postgres' ? framings.slice(1) : framings

/** A request whose head was admitted, as the 100 shows, and whose body the test sends later. */
async function begin(
  t: TestContext,
  framing: (typeof framings)[number],
  { expiresAt = null as string | null, path = '/mcp' } = {},
) {
  const service = await startContractService(t)
  const { token, id } = await service.createKey({ expiresAt })
  const elsewhere = await connectElsewhere(service.databaseUrl, t)
  const head = (body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    `${framing === 'in chunks' ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`}\r\n`
  const connection = await openRaw(service.url)
  const finish = async (body: string, meanwhile: () => Promise<unknown>): Promise<HttpResponse> => {
    connection.write(`${head(body)}Expect: 100-continue\r\n\r\n`)
    assert.equal((await connection.next()).status, 100)
    await meanwhile()
    if (framing === 'in chunks')
      for (const part of [body.slice(0, 9), body.slice(9)])
        connection.write(`${part.length.toString(16)}\r\n${part}\r\n${part === body.slice(9) ? '0\r\n\r\n' : ''}`)
    else connection.write(body)
    const response = await connection.next()
    service.conform('POST', path, response)
    return response
  }
  return { ...service, id, token, elsewhere, finish }
}

for (const framing of tried) {
  test(`a key revoked before the body arrived, ${framing}, reads nothing: 401 as for any invalid key`, async (t) => {
    const { finish, keys, id, addTasks, token, send } = await begin(t, framing)
    const response = await finish(call('list_tasks'), async () => {
      await keys.revoke(id)
      await addTasks([{ id: 'secret', title: 'Written after the revocation' }])
    })
    const challenge = 'Bearer realm="vitrine", error="invalid_token"'
    assertMcpProblem(response, 401, 'unauthorized', { 'www-authenticate': challenge, ...POLICY })
    assert.doesNotMatch(response.text, /Written/)
    assert.equal((await send('/tasks', { headers: { authorization: `Bearer ${token}` } })).status, 401)
  })

  test(`a key that expired or was paused before the body arrived, ${framing}, is 401`, async (t) => {
    const { finish, time } = await begin(t, framing, { expiresAt: new Date(NOON + 10_000).toISOString() })
    const response = await finish(call('list_tasks'), async () => {
      time.now += 10_000
    })
    assertMcpProblem(response, 401, 'unauthorized')
    const paused = await begin(t, framing)
    const refused = await paused.finish(call('list_tasks'), () => paused.keys.pause(paused.id))
    assertMcpProblem(refused, 401, 'unauthorized')
  })

  test(`an invalid key is reported before faults of a late body, ${framing}, and for a notification too`, async (t) => {
    for (const path of ['/mcp', '/v2/mcp'])
      for (const body of ['not JSON at all', '{"jsonrpc":"2.0","method":"notifications/initialized"}']) {
        const { finish, keys, id } = await begin(t, framing, { path })
        assertMcpProblem(await finish(body, () => keys.revoke(id)), 401, 'unauthorized')
      }
  })

  test(`a late body, ${framing}, gets the data and permissions of its own time, and is counted once`, async (t) => {
    const changed = await begin(t, framing)
    const fresh = await changed.finish(call('list_tasks'), () => changed.addTasks([{ id: 'new', title: 'New' }]))
    assert.match(fresh.text, /\\"id\\":\\"new\\"/)
    assert.equal(fresh.headers['ratelimit-remaining'], '599')

    const limited = await begin(t, framing)
    const forbidden = await limited.finish(call('list_tasks'), () =>
      limited.elsewhere.run(`UPDATE api_keys SET permissions = 'workspace:read' WHERE id = '${limited.id}'`),
    )
    assert.equal((forbidden.json as { error: { code: number } }).error.code, -32003)

    const archived = await begin(t, framing)
    const gone = await archived.finish(call('get_workspace'), () =>
      archived.elsewhere.run(`UPDATE workspaces SET archived_at = '2026-11-15T00:00:00.000Z'`),
    )
    assert.equal((gone.json as { result: { isError: boolean } }).result.isError, true)
  })
}

test('a body that arrives in pieces without Expect: 100-continue follows the same rule', async (t) => {
  const service = await startContractService(t)
  const { token, id } = await service.createKey()
  const connection = await openRaw(service.url)
  const body = call('list_tasks')
  connection.write(
    `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
  )
  await service.get('/workspace')
  await service.keys.revoke(id)
  connection.write(body.slice(20))
  assertMcpProblem(await connection.next(), 401, 'unauthorized')
})
