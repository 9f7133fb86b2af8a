import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Transport2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { createToken } from '../../src/lib/key-format.ts'
import { documentedCode } from '../support/documented.ts'
import { listen } from '../support/listen.ts'
import { type Service, startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { addFairAndLinen, taskIds, textOf } from './fixture.ts'
import { startRecordingProxy } from './recording-proxy.ts'
import { erasOf } from './wire.ts'

const PROGRAM = join(import.meta.dirname, '../../bin/vitrine')

/** Of the guide, for this machine. */
function configured(t: TestContext, url: string, key: string) {
  const { mcpServers } = JSON.parse(documentedCode('docs/mcp.md', 'json', '"stdio"'))
  const { command, args, env } = mcpServers['vitrine-acme']
  assert.deepEqual([command, Object.keys(env)], ['vitrine', ['VITRINE_KEY_FILE']])
  const file = join(temporaryFolder(t), 'key')
  writeFileSync(file, `${key}\n`)
  chmodSync(file, 0o600)
  return {
    command: PROGRAM,
    args: args.map((arg: string) => (arg.startsWith('https://') ? url : arg)),
    env: { PATH: process.env.PATH ?? '', VITRINE_KEY_FILE: file },
    stderr: 'pipe' as const,
  }
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>
}

async function assertWorks(client: AnyClient, service: Service): Promise<void> {
  const { tools } = await client.listTools()
  assert.deepEqual(tools.map(({ name }) => name).sort(), ['get_workspace', 'list_tasks'])
  const workspace = JSON.parse(textOf(await client.callTool({ name: 'get_workspace' })))
  assert.equal(workspace.workspace.slug, 'acme')
  const tasks = await client.callTool({ name: 'list_tasks', arguments: { limit: 1 } })
  assert.deepEqual(taskIds(tasks), ['task_linen'])
  assert.ok(service.logLines.some((line) => line.includes('tools/call') || line.includes('/v2/mcp')))
}

test('the official clients of both protocol versions start it as the guide configures it, and list and call the tools', async (t) => {
  const service = await startService(t)
  await addFairAndLinen(service)

  const proxy1 = await startRecordingProxy(t, service.url)
  const one = new Client1({ name: 'test', version: '1.0.0' })
  t.after(() => one.close())
  await one.connect(new Transport1(configured(t, proxy1.url, service.key)))
  await assertWorks(one, service)
  assert.deepEqual(erasOf(proxy1.exchanges()), ['2025-03-26'])

  const proxy2 = await startRecordingProxy(t, service.url)
  const two = new Client2({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  t.after(() => two.close())
  await two.connect(new Transport2(configured(t, proxy2.url, service.key)))
  await assertWorks(two, service)
  assert.deepEqual(erasOf(proxy2.exchanges()), ['2026-07-28'])
})

test("a client with a refused key gets the server's message, and the program exits with 1", async (t) => {
  const service = await startService(t)
  const { command, args, env } = configured(t, service.url, createToken())
  const child = spawn(command, args, { env, stdio: 'pipe' })
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  const [out, words, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  assert.equal(code, 1)
  assert.match(words, /^vitrine: the server refused the key: .*\n$/)
  const { message, data } = JSON.parse(out).error
  assert.match(message, /^The workspace key is not valid\. Check VITRINE_KEY, /)
  assert.equal(data.code, 'unauthorized')
})

test("a hostile server's output reaches a terminal only in visible characters, and the client as JSON", async (t) => {
  const detail = '\x1b[2J\x1b]0;owned\x07\u009b31m \u202Eyek k\uFE05\nvitrine: forged'
  const bodies = [
    { status: 401, body: JSON.stringify({ code: 'unauthorized', title: 'x', detail }) },
    { status: 404, body: JSON.stringify({ jsonrpc: '2.0', error: { code: 1, message: detail } }) },
    { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 3, result: { detail } }) },
  ]
  const server = createServer((_, response) => {
    const { status = 500, body } = bodies.shift() ?? {}
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  const port = await listen(server)
  t.after(() => server.close())
  const { command, args, env } = configured(t, `http://127.0.0.1:${port}`, createToken())
  const child = spawn(command, args, { env, stdio: 'pipe' })
  const words = text(child.stderr)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const responses = []
  for (const id of [1, 2, 3]) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`)
    responses.push(JSON.parse((await lines.next()).value ?? ''))
  }
  child.stdin.end()
  assert.ok(responses[0].error.message.startsWith(detail))
  assert.deepEqual(responses.slice(1), [
    { jsonrpc: '2.0', id: 2, error: { code: 1, message: detail } },
    { jsonrpc: '2.0', id: 3, result: { detail } },
  ])
  const shown = '\uFFFD[2J\uFFFD]0;owned\uFFFD\uFFFD31m [U+202E]yek k[U+FE05]\uFFFDvitrine: forged'
  assert.deepEqual((await words).trimEnd().split('\n'), [
    `vitrine: the server refused the key: ${shown} Check VITRINE_KEY, or the file in VITRINE_KEY_FILE.`,
    `vitrine: ${shown}`,
  ])
})

test('a signal ends it with 0, and so does a client that is gone', async (t) => {
  const service = await startService(t)
  const { command, args, env } = configured(t, service.url, service.key)
  const stopped = spawn(command, args, { env, stdio: 'pipe' })
  stopped.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  await once(stopped.stdout, 'data')
  stopped.kill('SIGTERM')
  assert.deepEqual(await once(stopped, 'close'), [0, null])

  const left = spawn(command, args, { env, stdio: 'pipe' })
  const ended = once(left, 'close')
  left.stdout.destroy()
  left.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  assert.deepEqual(await ended, [0, null])
})
