import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { snippets } from '../../../../src/web/keys/create/snippets.ts'
import { type Service, startService } from '../../../support/service.ts'

const run = promisify(execFile)

const snippet = ({ key, url }: Service, id: string): string =>
  snippets({ token: key, serviceUrl: url, examplePath: '/tasks', slug: 'acme' }).find((one) => one.id === id)?.text ??
  assert.fail(id)

/** Runs a pasted snippet; skipped on a machine without the program. */
async function runPasted(t: { skip(why: string): void }, program: string, args: string[]): Promise<string | undefined> {
  try {
    return (await run(program, args)).stdout
  } catch (error) {
    // 127 is the shell's word for it.
    const { code } = error as { code?: unknown }
    if (code !== 'ENOENT' && code !== 127) throw error
    t.skip('its program is not installed here')
    return undefined
  }
}

for (const [id, program, flag] of [
  ['curl', 'sh', '-c'],
  ['typescript', process.execPath, '--input-type=module-typescript'],
  ['python', 'python3', '-c'],
] as const)
  test(`the ${id} snippet, pasted unchanged, reads the tasks`, async (t) => {
    const service = await startService(t)
    await service.addTasks([{ id: 'task_1', title: 'Count the linen' }])
    const text = snippet(service, id)
    const args = id === 'typescript' ? [flag, '--eval', text] : [flag, text]
    const printed = await runPasted(t, program, args)
    if (printed !== undefined) assert.match(printed, /Count the linen/)
  })

/** The address and the headers that each client would take from what was pasted. */
const readers: Record<string, (text: string) => { url: string; headers: Record<string, string> }> = {
  cursor: (text) => JSON.parse(text).mcpServers['vitrine-acme'],
  'copilot-cli': (text) => JSON.parse(text).mcpServers['vitrine-acme'],
  vscode: (text) => JSON.parse(text).servers['vitrine-acme'],
  'gemini-cli': (text) => {
    const { httpUrl: url, headers } = JSON.parse(text).mcpServers['vitrine-acme']
    return { url, headers }
  },
  codex: (text) => ({
    url: /^url = "(.*)"$/m.exec(text)?.[1] ?? '',
    headers: { Authorization: /Authorization = "(.*)" }$/m.exec(text)?.[1] ?? '' },
  }),
}

async function toolsOf({ url, headers }: { url: string; headers: Record<string, string> }) {
  const client = new Client({ name: 'pasted', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name).sort()
}

for (const [id, read] of Object.entries(readers))
  test(`the ${id} snippet's configuration reaches the tools`, async (t) => {
    const service = await startService(t)
    assert.deepEqual(await toolsOf(read(snippet(service, id))), ['get_workspace', 'list_tasks'])
  })

test('the snippets of two workspaces have different server names', () => {
  const configured = (slug: string) =>
    snippets({ token: 'vtr_x', serviceUrl: 'https://v.example', examplePath: '/tasks', slug })
      .slice(0, 6)
      .map(({ text }) => /vitrine-[a-z0-9-]+/.exec(text)?.[0])
  assert.deepEqual(configured('acme'), Array(6).fill('vitrine-acme'))
  assert.deepEqual(configured('acme-west'), Array(6).fill('vitrine-acme-west'))
  const longest = 'the-buying-department-of-acme-in'
  assert.equal(configured(longest)[0], `vitrine-${longest}`)
  const [west, east] = ['west', 'east'].map((end) => configured(`${longest}-${end}`)[0])
  assert.match(west ?? '', /^vitrine-the-buying-department-o-[0-9a-f]{8}$/)
  assert.notEqual(west, east)
  assert.ok('mcp____get_workspace'.length + (configured('a'.repeat(63))[0]?.length ?? 0) <= 64)
})

test('the shell passes Claude Code’s arguments on as intended', async (t) => {
  const service = await startService(t)
  const script = `claude() { printf '%s\\n' "$@"; }\n${snippet(service, 'claude-code')}`
  const [mcp, add, , http, name, url = '', flag, header = ''] = (await run('sh', ['-c', script])).stdout.split('\n')
  assert.deepEqual([mcp, add, http, name, flag], ['mcp', 'add', 'http', 'vitrine-acme', '--header'])
  const [field = '', value = ''] = header.split(': ')
  assert.deepEqual(await toolsOf({ url, headers: { [field]: value } }), ['get_workspace', 'list_tasks'])
})
