import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { createToken } from '../../../src/lib/key-format.ts'
import { bridge } from '../../../src/tools/stdio/bridge.ts'
import { freePort, listen } from '../../support/listen.ts'
import { startService } from '../../support/service.ts'
import { waitUntil } from '../../support/wait.ts'

/** A client that sends lines and reads responses. */
function connect(t: TestContext, url: string, key: string) {
  const input = new PassThrough()
  const lines: string[] = []
  const warnings: string[] = []
  let told: (() => void) | undefined
  const ended = bridge({
    input,
    url: new URL(url),
    key,
    async write(line) {
      lines.push(line)
      told?.()
    },
    warn: (message) => warnings.push(message),
  })
  t.after(() => input.end())
  return {
    lines,
    warnings,
    input,
    async ask(line: string): Promise<string> {
      const count = lines.length
      input.write(`${line}\n`)
      while (lines.length === count)
        await new Promise<void>((resolve) => {
          told = resolve
        })
      return lines.at(-1) ?? ''
    },
    end() {
      input.end()
      return ended
    },
  }
}

const call = (id: unknown, method: string, params?: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

async function startServer(t: TestContext, listener: RequestListener): Promise<{ url: string }> {
  const server = createServer(listener)
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${await listen(server)}/v2/mcp` }
}

test('the server responds to requests of both protocol versions, with their ids unchanged', async (t) => {
  const service = await startService(t)
  const client = connect(t, `${service.url}/v2/mcp`, service.key)
  assert.match(
    await client.ask(call(1, 'initialize', { protocolVersion: '2025-03-26' })),
    /^\{"jsonrpc":"2.0","id":1,"result":/,
  )
  client.input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  assert.match(
    await client.ask('{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'),
    /"id":9007199254740993,"result":\{\}/,
  )
  const found = JSON.parse(await client.ask(call('d', 'server/discover', { _meta: MODERN })))
  assert.deepEqual([found.id, found.result.supportedVersions], ['d', ['2026-07-28', '2025-03-26']])
  const tool = { name: 'get_workspace', arguments: {}, _meta: MODERN }
  const { result } = JSON.parse(await client.ask(call('w', 'tools/call', tool)))
  assert.equal(result.structuredContent.workspace.slug, 'acme')
  // A name that no header can carry as it is.
  const unknown = JSON.parse(await client.ask(call('n', 'tools/call', { ...tool, name: 'größe ' })))
  assert.equal(unknown.error.data.code, 'tool_not_found')
  assert.equal(client.lines.length, 5)
  assert.deepEqual(await client.end(), { isKeyRefused: false })
  assert.deepEqual(client.warnings, [])
})

test('anything but a request is rejected immediately, and the next line works', async (t) => {
  const service = await startService(t)
  const client = connect(t, `${service.url}/v2/mcp`, service.key)
  const codeOf = (line: string) => {
    const { id, error } = JSON.parse(line)
    return [id, error.code]
  }
  assert.deepEqual(codeOf(await client.ask('{"jsonrpc":')), [null, -32700])
  assert.deepEqual(codeOf(await client.ask('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')), [null, -32600])
  assert.deepEqual(codeOf(await client.ask('7')), [null, -32600])
  assert.deepEqual(codeOf(await client.ask(call(1, 'ping', { x: 'x'.repeat(1024 * 1024) }))), [null, -32600])
  assert.deepEqual(codeOf(await client.ask('{"id":"a","method":"ping"}')), ['a', -32600])
  assert.deepEqual(codeOf(await client.ask(call('b', 'nope'))), ['b', -32601])
  client.input.write('\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}\n')
  assert.equal(await client.ask(`${call(2, 'ping')}\r`), '{"jsonrpc":"2.0","id":2,"result":{}}')
})

test('the last request gets its response although the input has ended, even without a line break', async (t) => {
  const service = await startService(t)
  const client = connect(t, `${service.url}/v2/mcp`, service.key)
  for (let id = 0; id < 40; id++) client.input.write(`${call(id, 'ping')}\n`)
  client.input.write(call(40, 'ping'))
  await client.end()
  const ids = client.lines.map((line) => JSON.parse(line).id)
  assert.deepEqual(
    ids.sort((a, b) => a - b),
    Array.from({ length: 41 }, (_, id) => id),
  )
})

test("a refused key is an error with the server's message, shown to people once", async (t) => {
  const service = await startService(t)
  const client = connect(t, `${service.url}/v2/mcp`, createToken())
  for (const id of [1, 2]) {
    const { error } = JSON.parse(await client.ask(call(id, 'initialize', { protocolVersion: '2025-03-26' })))
    assert.equal(error.code, -32000)
    assert.match(error.message, /key/)
    assert.deepEqual([error.data.status, error.data.code], [401, 'unauthorized'])
  }
  const line = await client.ask('{"jsonrpc":"2.0","method":"ping","id":9007199254740993}')
  assert.ok(line.startsWith('{"jsonrpc":"2.0","id":9007199254740993,"error":'))
  assert.deepEqual(await client.end(), { isKeyRefused: true })
  assert.equal(client.warnings.length, 1)
  assert.match(client.warnings[0] ?? '', /^the server refused the key: /)
})

test('without a server there is an error that explains it; the next request after its start succeeds', async (t) => {
  const answered: RequestListener = (_, response) => response.end('{"jsonrpc":"2.0","id":2,"result":{}}')
  const port = await freePort()
  const start = async () => {
    const server = createServer(answered).listen(port, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    return server
  }
  const server = await start()
  const client = connect(t, `http://127.0.0.1:${port}/v2/mcp`, createToken())
  await client.ask(call(1, 'ping'))
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  const { id, error } = JSON.parse(await client.ask(call(7, 'ping')))
  assert.equal(id, 7)
  assert.match(error.message, /^The server could not be reached: .* \(E[A-Z]+\)$/)
  await start()
  assert.match(await client.ask(call(2, 'ping')), /"result"/)
})

const cancel = (requestId: unknown) =>
  `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`

test('a cancelled request is aborted and gets no response, at any stage; others continue', async (t) => {
  const begun: string[] = []
  const closed: string[] = []
  const { url } = await startServer(t, async (req, res) => {
    const { id, method } = JSON.parse(await text(req))
    begun.push(method)
    res.once('close', () => res.writableEnded || closed.push(method))
    if (method === 'ping') res.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
    if (method === 'half') res.writeHead(200).write('{"jsonrpc":')
  })
  const client = connect(t, url, createToken())
  // The first response leaves a connection for the next request.
  await client.ask(call(0, 'ping'))
  for (const [n, method] of ['silent', 'half'].entries()) {
    client.input.write(`${call('slow', method)}\n`)
    await waitUntil(() => begun.length === n * 2 + 2)
    client.input.write(cancel('another') + cancel(undefined) + cancel('slow'))
    assert.equal(await client.ask(call(n, 'ping')), `{"jsonrpc":"2.0","id":${n},"result":{}}`)
  }
  // As many requests as may be in flight, so that only a cancellation lets the next one through.
  for (let id = 1; id <= 16; id++) client.input.write(`${call(id, 'silent')}\n`)
  await waitUntil(() => begun.length === 21)
  client.input.write(cancel(3))
  assert.match(await client.ask(call('next', 'ping')), /"id":"next"/)
  for (let id = 1; id <= 16; id++) client.input.write(cancel(id))
  assert.deepEqual(await client.end(), { isKeyRefused: false })
  await waitUntil(() => closed.length === 18)
  assert.deepEqual([client.lines.length, client.warnings, begun.length], [4, [], 22])
})

test("a proxy's own text is never passed on, and a redirect never followed", async (t) => {
  const html = { 'content-type': 'text/html' }
  const location = `https://elsewhere.example/?key=${createToken()}`
  const responses: [status: number, headers: Record<string, string>, body: string, message: RegExp][] = [
    [502, html, '<h1>Bad gateway</h1>', /^The response \(502, text\/html\) is not from Vitrine/],
    [200, html, '<html>Sign in</html>', /^The response \(200, text\/html\) is not from Vitrine/],
    [200, {}, '', /^The response \(200, no content type\) is not from Vitrine/],
    [307, { location }, '', /^The URL leads to https:\/\/elsewhere\.example\/\?key=vtr_\[redacted\], /],
    [202, {}, '', /returned no result/],
  ]
  let next = 0
  const { url } = await startServer(t, (_, response) => {
    const [status, headers, body] = responses[next++] ?? [200, {}, '']
    response.writeHead(status, headers).end(body)
  })
  const client = connect(t, url, createToken())
  for (const [id, [, , , message]] of responses.entries()) {
    const { error } = JSON.parse(await client.ask(call(id, 'ping')))
    assert.match(error.message, message)
  }
})

test('a response with another id, or none, is not passed on: the client would wait for its own', async (t) => {
  const bodies = [
    { id: 2, result: {} },
    { result: {} },
    { id: 2, error: { code: -32600, message: 'No.' } },
    { id: 1, method: 'sampling/createMessage' },
    { id: null, error: { code: -32600, message: 'No.' } },
    { id: null, error: 'No.' },
    { id: 1, result: {} },
  ]
  const { url } = await startServer(t, (_, res) => res.end(JSON.stringify({ jsonrpc: '2.0', ...bodies.shift() })))
  const client = connect(t, url, createToken())
  const responses = []
  while (bodies.length > 0) responses.push(JSON.parse(await client.ask(call(1, 'ping'))))
  await client.end()
  assert.deepEqual([...new Set(responses.map(({ id }) => id))], [1])
  const other = 'The server, or a proxy in front of it, returned the response to another request'
  assert.deepEqual(
    responses.map(({ error, result }) => error?.message.replace(/[:.].*/, '') ?? result),
    [other, other, other, 'The response (200, no content type) is not from Vitrine', 'No', other, {}],
  )
})

test("a key that a server repeats in its response does not reach the client's log", async (t) => {
  const key = createToken()
  const responses = [
    { headers: {}, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { echo: `Bearer ${key}` } }) },
    { headers: {}, body: JSON.stringify({ code: 'x', title: key, echo: key }) },
    { headers: { 'content-type': key }, body: key },
    { headers: { 'retry-after': key }, body: JSON.stringify({ code: 'x', title: 'x' }) },
  ]
  const { url } = await startServer(t, (_, res) => {
    const { headers, body } = responses.shift() ?? { headers: {}, body: '' }
    res.writeHead(200, headers).end(body)
  })
  const client = connect(t, url, key)
  while (responses.length > 0) assert.ok(!(await client.ask(call(1, 'ping'))).includes(key))
  await client.end()
})
