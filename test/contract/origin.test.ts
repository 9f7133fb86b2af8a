// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem, window } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/test-with.ts'

const contractTest = testWith(startContractService)

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

for (const path of ['/mcp', '/v1/mcp']) {
  contractTest(`${path} refuses the origin of a web page with 403`, async ({ rpc }) => {
    const response = await rpc(PING, { origin: 'https://evil.example' }, path)
    assertMcpProblem(response, 403, 'origin_not_allowed', { ...window(599) })
  })

  contractTest(`${path} accepts requests without an Origin, as MCP clients send them`, async ({ rpc }) => {
    assert.equal((await rpc(PING, {}, path)).status, 200)
  })
}

contractTest('an origin on this machine is allowed, with any scheme and port', async ({ rpc }) => {
  const origins = [
    'http://localhost',
    'http://localhost:6274',
    'https://localhost:8443',
    'http://127.0.0.1:3000',
    'http://127.1.2.3',
    'http://[::1]:5173',
  ]
  for (const origin of origins) {
    const response = await rpc(PING, { origin })
    assert.equal(response.status, 200, origin)
    assert.equal(response.headers['access-control-allow-origin'], undefined)
  }
})

contractTest('an origin that only looks like this machine is refused', async ({ rpc }) => {
  const origins = [
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://evil.example#localhost',
    'http://localhost@evil.example',
    'http://notlocalhost',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://192.168.1.10:3000',
    'file://',
    'null',
    'localhost',
    'chrome-extension://abcdef',
    '*',
  ]
  for (const origin of origins) assertMcpProblem(await rpc(PING, { origin }), 403, 'origin_not_allowed')
})

test('the origin of PUBLIC_URL is allowed, and its neighbours are not', async (t) => {
  const { rpc } = await startContractService(t, { env: { PUBLIC_URL: 'https://vitrine.example/' } })
  assert.equal((await rpc(PING, { origin: 'https://vitrine.example' })).status, 200)
  for (const origin of ['http://vitrine.example', 'https://vitrine.example:8443', 'https://a.vitrine.example'])
    assert.equal((await rpc(PING, { origin })).status, 403, origin)
})

test('the origins of ALLOWED_ORIGINS are allowed, exactly', async (t) => {
  const { rpc } = await startContractService(t, {
    env: { ALLOWED_ORIGINS: 'https://app.example, http://tool.example:8080' },
  })
  for (const origin of ['https://app.example', 'http://tool.example:8080'])
    assert.equal((await rpc(PING, { origin })).status, 200, origin)
  for (const origin of ['http://app.example', 'https://app.example:444', 'https://tool.example:8080'])
    assert.equal((await rpc(PING, { origin })).status, 403, origin)
})

contractTest('the origin is checked before the body', async ({ rpc }) => {
  assertMcpProblem(await rpc('not JSON', { origin: 'https://evil.example' }), 403, 'origin_not_allowed')
})

contractTest('without a key, a web page learns only that it has none', async ({ send }) => {
  const response = await send('/mcp', { method: 'POST', headers: { origin: 'https://evil.example' }, body: '{}' })
  assertMcpProblem(response, 401, 'unauthorized')
})
