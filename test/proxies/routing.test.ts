import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { hasOpenssl } from '../support/certificates.ts'
import { documentedCode } from '../support/documented.ts'
import { skipWithout } from '../support/installed-program.ts'
import { listen, listenUntilEnd } from '../support/listen.ts'
import { startProxy } from '../support/proxies.ts'
import { overHttp1 } from './through.ts'

/** Of docs/performance.md, in place of these lines of docs/proxies/. */
const changes = {
  nginx: ['upstream vitrine {\n', documentedCode('docs/performance.md', 'nginx', 'hash')],
  haproxy: ['    balance roundrobin\n', documentedCode('docs/performance.md', 'haproxy', 'hash-type')],
} as const

/** A server that responds with its number. */
async function startNumbered(t: TestContext, number: number) {
  // Idle connections last as long as Vitrine's: a proxy sends a request on one that was closed to another server.
  const server = createServer({ keepAliveTimeout: 65_000 }, (_, response) => response.end(String(number)))
  const port = await listen(server)
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  t.after(stop)
  return { port, stop }
}

for (const name of ['nginx', 'haproxy'] as const)
  test(`with the guide's lines, ${name} sends each key to one server, and to another if that one is down`, {
    ...(hasOpenssl ? skipWithout(name) : { skip: 'no openssl' }),
  }, async (t) => {
    const servers = [await startNumbered(t, 0), await startNumbered(t, 1), await startNumbered(t, 2)]
    const proxy = await startProxy(
      name,
      servers.map(({ port }) => port),
      [[...changes[name]]],
    )
    t.after(() => proxy.stop())
    const keys = Array.from({ length: 60 }, (_, i) => `vtr_${i}`)
    const serverOf = async (key: string) => {
      const { status, text } = await overHttp1(proxy, '/tasks', { headers: { authorization: `Bearer ${key}` } })
      assert.equal(status, 200)
      return Number(text)
    }
    const serversOf = async () => {
      const found: number[] = []
      for (const key of keys) found.push(await serverOf(key))
      return found
    }
    const first = await serversOf()
    assert.deepEqual(new Set(first), new Set([0, 1, 2]), 'all servers have work')
    for (let round = 0; round < 3; round++) assert.deepEqual(await serversOf(), first)
    assert.equal((await overHttp1(proxy, '/')).status, 200, 'requests without a key are served, too')

    servers[1]?.stop()
    const without = await serversOf()
    for (const [i, server] of first.entries())
      if (server !== 1) assert.equal(without[i], server, 'the keys of the others stay where they were')
      else assert.notEqual(without[i], 1)
  })

test('nginx compresses every list and MCP, and no page', {
  ...(hasOpenssl ? skipWithout('nginx') : { skip: 'no openssl' }),
}, async (t) => {
  const server = createServer((request, response) => {
    const isPage = /^\/(settings|docs)/.test(request.url ?? '')
    response.setHeader('content-type', isPage ? 'text/html' : 'application/json').end(JSON.stringify('x'.repeat(5000)))
  })
  const proxy = await startProxy('nginx', [await listenUntilEnd(t, server)])
  t.after(() => proxy.stop())
  const codingOf = async (path: string) =>
    (await overHttp1(proxy, path, { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding']
  for (const path of ['/tasks', '/suppliers', '/purchaseorders2', '/openapi.json', '/mcp', '/v2/mcp'])
    assert.equal(await codingOf(path), 'gzip', path)
  for (const path of ['/settings', '/docs', '/settings/sign-in', '/docs/rest'])
    assert.equal(await codingOf(path), undefined, path)
})
