import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { suite, type TestContext, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { addFairAndLinen } from '../fixture.ts'
import { startRecordingProxy } from '../recording-proxy.ts'
import { type Exchange, erasOf, lineOf } from '../wire.ts'
import { agents } from './agents.ts'
import { type Client, paths, type Seen } from './client.ts'
import { codex } from './codex.ts'
import { libraries } from './libraries.ts'
import { mcpRemote } from './mcp-remote.ts'

export const clients = [...libraries, ...mcpRemote, ...codex, ...agents]
const rows = new Map<Client, string>()

const MARKED = /(?<=<!-- clients:begin -->\n).*(?=<!-- clients:end -->)/s

/** Runs these clients, and compares what they did with their rows of the table in docs/mcp.md; other rows stay unchanged. */
export function testClients(tested: readonly Client[]): void {
  // Two, because most of a client's time is its start, and the machine may have only two processors.
  suite('every client works on both URLs, or fails with a clear message', { concurrency: 2 }, () => {
    for (const client of tested)
      test(`${client.name} ${client.version}`, {
        timeout: 600_000,
        skip: process.env.CI === undefined && client.missing,
      }, async (t) => {
        assert.equal(client.missing, undefined)
        const service = await startService(t)
        await addFairAndLinen(service)
        const eras: string[] = []
        let does = ''
        for (const path of paths) {
          const proxy = await startRecordingProxy(t, service.url)
          const used = client.use(connection(t, proxy.url + path, service.key))
          if (client.fails?.[path] !== undefined) {
            await assert.rejects(used, client.fails[path])
            eras.push('does not work')
            continue
          }
          assertSeen(await used)
          const exchanges = proxy.exchanges()
          does = doneBy(exchanges)
          const spoken = erasOf(exchanges)
          assert.equal(spoken.length, 1, exchanges.map(({ request, status }) => `${status} ${request}`).join('\n'))
          eras.push(...spoken)
        }
        const refused = does === '' ? '' : await refusal(t, service, client)
        rows.set(client, `${rowStart(client)} | ${eras.join(' | ')} | ${does} | ${refused} |`)
      })
  })

  test('the table in docs/mcp.md matches the observations (npm run test:clients:table writes it)', () => {
    const file = new URL('../../../docs/mcp.md', import.meta.url)
    const text = readFileSync(file, 'utf8')
    const [table = ''] = MARKED.exec(text) ?? []
    const written = new Map(table.split('\n').map((row) => [row.split(' | ', 2).join(' | '), row]))
    // A skipped row stays unchanged.
    const shownRows = clients.map((client) => rows.get(client) ?? written.get(rowStart(client)))
    const expected = [...HEAD, ...shownRows.filter((row) => row !== undefined), ''].join('\n')
    if (process.env.UPDATE === undefined) assert.equal(table, expected)
    else
      writeFileSync(
        file,
        text.replace(MARKED, () => expected),
      )
  })
}

const HEAD = [
  '| client | version | on `/mcp` | on `/v2/mcp` | what it does | with a revoked key |',
  '|---|---|---|---|---|---|',
]
const rowStart = ({ name, version }: Client) => `| ${name} | ${version}`

const connection = (t: TestContext, url: string, key: string) => ({
  url,
  key,
  folder: temporaryFolder(t),
  signal: t.signal,
})

/** A client's result must match the data, as far as it can show it. */
function assertSeen({ tools, workspace, tasks }: Seen): void {
  if (tools !== undefined) assert.deepEqual(tools, ['get_workspace', 'list_tasks'])
  if (workspace !== undefined) assert.equal(JSON.parse(workspace).workspace.name, 'Acme Buying')
  if (tasks === undefined) return
  const ids = JSON.parse(tasks).tasks.map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, ['task_linen'])
}

function doneBy(exchanges: Exchange[]): string {
  const answered = exchanges.filter(({ status }) => status === 200).map(lineOf)
  const did = (method: string) => answered.some((line) => line.startsWith(`${method} `))
  if (did('tools/call')) return 'lists and calls the tools'
  return did('tools/list') ? 'lists the tools' : 'connects'
}

/** What a client shows when its key was revoked, which is never the key. */
async function refusal(t: TestContext, service: Service, client: Client): Promise<string> {
  const { token, id } = await service.createKey()
  await service.keys.revoke(id)
  const { url } = await startRecordingProxy(t, service.url)
  const connecting = (client.connect ?? client.use)(connection(t, `${url}/v2/mcp`, token))
  const words: string = await connecting.then(
    () => assert.fail('it works with a revoked key'),
    (error: Error) => error.message,
  )
  assert.ok(!words.includes(token), words)
  return refusals.find(([, known]) => known.test(words))?.[0] ?? assert.fail(`what is this in the table? ${words}`)
}

/** The clients' messages, and their short form in the table. */
const refusals: [short: string, words: RegExp][] = [
  ['reports the 401', /"status\W+401|HTTP 401/],
  ['asks for a login', /Auth required/],
  ['tries OAuth, and reports that there is none', /Registration rejected \(HTTP 404\)/],
  ['shows “Disconnected”', /vitrine-acme: .* Disconnected/],
  ['offers its model no tools', /^\{"results":\[\]\}$/m],
]
