import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem, window } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

const allowed = ['http://localhost', 'http://localhost:6274', 'https://localhost:8443', 'http://127.0.0.1:3000']
allowed.push('http://127.1.2.3', 'http://[::1]:5173')
const refused = ['https://evil.example', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example']
refused.push('http://evil.example#localhost', 'http://localhost@evil.example', 'http://notlocalhost', 'http://10.0.0.1')
refused.push('http://0.0.0.0', 'file://', 'null', 'localhost', 'chrome-extension://abcdef', '*')

for (const [what, env, also, neighbours] of [
  ['of this machine', {}, [], []],
  [
    'of PUBLIC_URL',
    { PUBLIC_URL: 'https://vitrine.example/' },
    ['https://vitrine.example'],
    ['http://vitrine.example', 'https://vitrine.example:8443', 'https://a.vitrine.example'],
  ],
  [
    'of ALLOWED_ORIGINS',
    { ALLOWED_ORIGINS: 'https://app.example, http://tool.example:8080' },
    ['https://app.example', 'http://tool.example:8080'],
    ['http://app.example', 'https://app.example:444', 'https://tool.example:8080'],
  ],
] as const)
  test(`an origin ${what} is allowed, and one that only looks like it is 403`, async (t) => {
    const { rpc } = await startContractService(t, { env })
    assert.equal((await rpc(PING)).status, 200, 'without an origin, as MCP clients send it')
    for (const origin of [...allowed, ...also]) {
      const { status, headers } = await rpc(PING, { origin })
      assert.deepEqual([status, headers['access-control-allow-origin']], [200, undefined], origin)
    }
    for (const origin of [...refused, ...neighbours])
      for (const path of ['/mcp', '/v1/mcp']) assert.equal((await rpc(PING, { origin }, path)).status, 403, origin)
  })

test('a web page is refused with a problem, and without a key learns only that it has none', async (t) => {
  const { send, rpc } = await startContractService(t)
  const headers = { origin: 'https://evil.example' }
  assertMcpProblem(await rpc(PING, headers), 403, 'origin_not_allowed', window(599))
  assertMcpProblem(await send('/mcp', { method: 'POST', headers, body: '{}' }), 401, 'unauthorized')
})
