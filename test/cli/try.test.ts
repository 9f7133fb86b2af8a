import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { shopDatabase } from '../lists/in-place/shop.ts'
import { onEach } from '../support/database.ts'
import { Browser } from '../support/person.ts'
import { PROGRAM, program } from '../support/program.ts'
import { gather, waitUntil } from '../support/wait.ts'

const EXAMPLE = join(import.meta.dirname, '../../docs/examples/orders.csv')
const UNUSED = 'sqlite:unused.db'

/** The program in a folder with this file, and a folder for temporary files that must be empty in the end. */
function withFiles(t: TestContext, files: Record<string, string | Buffer>) {
  const vitrine = program(t, { DATABASE_URL: UNUSED, TZ: 'Europe/London' })
  const temporary = join(vitrine.folder, 'tmp')
  mkdirSync(temporary)
  vitrine.env.TMPDIR = temporary
  for (const [name, content] of Object.entries(files)) vitrine.writeFile(name, content)
  return {
    ...vitrine,
    leftovers: () => [
      ...readdirSync(temporary),
      ...(existsSync(join(vitrine.folder, 'unused.db')) ? ['unused.db'] : []),
    ],
  }
}

interface Ready {
  url: string
  mcpUrl: string
  key: string
  workspace: string
  lists: { name: string; tool: string; rows: number; file?: string; table?: string }[]
}

async function tried(vitrine: ReturnType<typeof withFiles>, ...words: string[]) {
  const running = await vitrine.begin('try', '--json', ...words)
  await running.printed('}\n')
  const ready: Ready = JSON.parse(running.output())
  const read = async (path: string) => {
    const response = await fetch(ready.url + path, { headers: { authorization: `Bearer ${ready.key}` } })
    return { status: response.status, body: (await response.json()) as Record<string, Record<string, unknown>[]> }
  }
  return { ...running, ready, read }
}

async function connected(t: TestContext, { mcpUrl, key }: Ready): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  t.after(() => client.close())
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }))
  return client
}

test('a file is a tool in one command, follows its edits, and leaves nothing behind', async (t) => {
  const vitrine = withFiles(t, {})
  const file = join(vitrine.folder, 'orders.csv')
  copyFileSync(EXAMPLE, file)
  const { ready, read, output, stop } = await tried(vitrine, 'orders.csv')
  assert.deepEqual(
    { ...ready, url: '', mcpUrl: '', key: '' },
    {
      ...{ url: '', mcpUrl: '', key: '', workspace: 'orders' },
      lists: [{ name: 'orders', tool: 'list_orders', rows: 120, file: 'orders.csv' }],
    },
  )
  assert.match(ready.url, /^http:\/\/127\.0\.0\.1:\d+$/)

  const client = await connected(t, ready)
  const tools = (await client.listTools()).tools.map(({ name }) => name)
  assert.deepEqual(tools.toSorted(), ['get_workspace', 'list_orders'])
  const call = async (name: string, args = {}) =>
    (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>
  const { counts } = (await call('list_orders', { countBy: 'status' })) as {
    counts: { value: string; count: number }[]
  }
  const inFile = readFileSync(file, 'utf8').match(/,confirmed,/g)?.length
  assert.equal(counts.find(({ value }) => value === 'confirmed')?.count, inFile)
  assert.equal(((await call('get_workspace')).workspace as { timezone: string }).timezone, 'Europe/London')
  assert.equal((await read('/tasks')).status, 403)

  const found = async (id: string) => ((await call('list_orders', { ids: [id] })).orders as unknown[])[0]
  // A new value of a choice, empty cells, and a text that is longer than any before.
  const note = '3 vases, '.repeat(100).trim()
  appendFileSync(file, `PO-9001,,"${note}",,returned,12.00,2026-11-19\n`)
  await waitUntil(async () => (await found('PO-9001')) !== undefined)
  const { orders } = await call('list_orders', {
    ids: ['PO-9001'],
    fields: ['note', 'supplier', 'deliveryAt', 'status'],
  })
  assert.deepEqual(orders, [{ id: 'PO-9001', supplier: null, note, deliveryAt: null, status: 'returned' }])

  const good = readFileSync(file, 'utf8')
  vitrine.writeFile('orders.csv', good.replace(',12.00,', ',a dozen,').replace('PO-4001,', 'PO-1,'))
  await waitUntil(() => output().includes('last good rows'))
  assert.match(
    output(),
    /^orders\.csv: line 122, id PO-9001: total must be .*; its last good rows stay in use until the file can be read; to read it with other types, stop this and run try again$/m,
  )
  assert.notEqual(await found('PO-4001'), undefined)
  rmSync(file)
  await waitUntil(() => output().includes('no such file'))
  assert.match(
    output(),
    /^orders\.csv: no such file or directory; its last good rows stay in use until the file can be read;/m,
  )
  vitrine.writeFile('orders.csv', good.split('\n').slice(0, 3).join('\n'))
  await waitUntil(() => output().includes('read again'))
  assert.match(output(), /^orders\.csv: read again, 2 rows$/m)
  assert.equal((await call('list_orders', { countBy: 'status' })).total, 2)

  assert.equal(vitrine.leftovers().length, 1)
  assert.equal(await stop('SIGINT'), 0)
  assert.deepEqual(vitrine.leftovers(), [])
})

test('people get a few lines: the lists, a command to paste, questions and a page', async (t) => {
  const vitrine = withFiles(t, {
    'Orders 2026.csv':
      'Ref,Due,Note\nA-1,03/04/2026,more linen\nA-2,05/06/2026,linen and glass\nA-3,,chairs\nA-4,,stools\n',
    'stock.ndjson.gz': gzipSync('{"place":{"city":"Oslo"},"n":1}\n{"place":{"city":"Oslo"},"n":2}\n'),
  })
  const running = await vitrine.begin('try', 'Orders 2026.csv', 'stock.ndjson.gz')
  await running.printed('Nothing is left behind')
  const lines = running.output().split('\n')
  const key = /vtr_\w{49}/.exec(running.output())?.[0]
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(running.output())?.[0] ?? ''
  const link = /http:\S+\/settings\/sign-in\/link\?token=\S+/.exec(running.output())?.[0] ?? ''
  assert.deepEqual(lines, [
    'Orders 2026.csv  4 rows  → list_orders2026, GET /orders2026  (id: Ref; order: Due, Note; search: Note)',
    "stock.ndjson.gz  2 rows  → list_stock, GET /stock            (id: the row's number; order: place city; search: place city)",
    'Orders 2026.csv: due: the format may be dd/MM/yyyy or MM/dd/yyyy; it is read as dd/MM/yyyy',
    `Serving on ${url}, only to this machine. Ctrl+C stops it.`,
    '',
    `  claude mcp add --transport http orders2026 ${url}/v2/mcp --header "Authorization: Bearer ${key}"`,
    `  curl -H "Authorization: Bearer ${key}" ${url}/orders2026`,
    '',
    'Ask: "Which orders are due this week?"  "How many stock per place city?"  "Anything about linen?"',
    `See what an agent sees, with a link that works once, within 15 minutes: ${link}`,
    'Nothing is left behind. To keep it, add --keep ./kept.',
    '',
  ])
  const rows = async (path: string) =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).json() as Promise<unknown>
  assert.deepEqual(await rows('/stock'), {
    stock: [
      { id: '1', placeCity: 'Oslo', n: 1 },
      { id: '2', placeCity: 'Oslo', n: 2 },
    ],
  })
  const browser = new Browser(url)
  assert.equal((await browser.follow(link)).headers.location, '/settings/workspaces/orders2026')
  assert.equal(await running.stop('SIGHUP'), 0)
  assert.deepEqual(vitrine.leftovers(), [])
})

test('what is kept is served again, at the same URL and with the same key', async (t) => {
  const vitrine = withFiles(t, { "it's.csv": 'sku,name\nA1,Bowl\nA2,Mug\n' })
  const kept = "the 'kept' #1"
  const first = await tried(vitrine, '--keep', kept, "it's.csv")
  assert.equal(await first.stop(), 0)
  assert.deepEqual(vitrine.leftovers(), [])
  assert.deepEqual(
    readdirSync(join(vitrine.folder, kept))
      .filter((name) => !name.startsWith('vitrine.db'))
      .toSorted(),
    [...['its.map.json', 'resources', 'vitrine.env']],
  )

  const again = await vitrine.runApart('try', '--keep', kept, "it's.csv")
  assert.equal(again.code, 2)
  assert.match(again.stderr, /^vitrine: --keep: the 'kept' #1 is not empty; name another folder/)

  const { DATABASE_URL: _, PORT: __, ...env } = vitrine.env
  const serving = spawn(PROGRAM, ['serve', '--env-file', `${kept}/vitrine.env`], { cwd: vitrine.folder, env })
  t.after(() => serving.kill('SIGKILL'))
  const stderr = gather(serving.stderr)
  await waitUntil(() => stderr().includes('listens on'))
  assert.match(stderr(), new RegExp(`^Vitrine listens on ${first.ready.url}$`, 'm'))
  const { body } = await first.read('/its')
  assert.deepEqual(
    body.its?.map(({ id }) => id),
    ['A1', 'A2'],
  )
})

onEach('tables are tools in one command, read in place, and again from what is kept', async (t, engine) => {
  const { url, run } = await shopDatabase(t, engine)
  const [instant, unread] = engine === 'sqlite' ? ['TEXT', 'BLOB'] : ['timestamptz', 'bytea']
  await run(
    `CREATE TABLE "Parcels" (no INTEGER PRIMARY KEY, sent_at ${instant}, weight numeric(38, 18), carrier text NOT NULL, seal ${unread})`,
  )
  await run('CREATE TABLE carriers (id text PRIMARY KEY, name text)')
  const insert = (no: number) =>
    run(`INSERT INTO "Parcels" VALUES (${no}, '2026-11-2${no}T10:00:00Z', 0.5, '${'DHL'.repeat((no % 2) + 1)}', NULL)`)
  for (const no of [1, 2, 3, 4]) await insert(no)
  const vitrine = withFiles(t, {})
  const words = [url, '--table', engine === 'sqlite' ? 'Parcels' : 'public.Parcels', '--table', 'carriers']
  const { ready, read, output, stdout, stop } = await tried(vitrine, '--keep', 'kept', ...words)
  assert.deepEqual(ready.lists, [
    { name: 'parcels', tool: 'list_parcels', rows: 4, table: words[2] },
    { name: 'carriers', tool: 'list_carriers', rows: 0, table: 'carriers' },
  ])
  assert.doesNotMatch(output(), /postgres:|sqlite:/)
  await insert(5)
  const numbers = async () =>
    (await read('/parcels')).body.parcels?.map(({ id, weight, sentAt }) => [id, Number(weight), sentAt])
  const expected = [1, 2, 3, 4, 5].map((no) => [String(no), 0.5, `2026-11-2${no}T10:00:00.000Z`])
  assert.deepEqual(await numbers(), expected)
  await run('ALTER TABLE "Parcels" RENAME COLUMN weight TO mass')
  assert.equal((await read('/parcels')).status, 503)
  await run('ALTER TABLE "Parcels" RENAME COLUMN mass TO weight')
  assert.equal(await stop(), 0)
  assert.match(output(), /cannot be read in place/)
  assert.equal(stdout(), `${JSON.stringify(ready)}\n`)
  assert.equal(statSync(join(vitrine.folder, 'kept/vitrine.env')).mode & 0o777, 0o600)

  const { DATABASE_URL: _, PORT: __, ...env } = vitrine.env
  const serving = spawn(PROGRAM, ['serve', '--env-file', 'kept/vitrine.env'], { cwd: vitrine.folder, env })
  t.after(() => serving.kill('SIGKILL'))
  const stderr = gather(serving.stderr)
  await waitUntil(() => stderr().includes('listens on'))
  assert.doesNotMatch(stderr(), /warning/)
  assert.deepEqual(await numbers(), expected)
})

test('what cannot be tried is refused in one line, and leaves nothing behind', async (t) => {
  const files = { 'tasks.csv': 'id,n\n1,2', 'a.csv': 'id,n\n1,2', 'A.json': '[{"id":"1"}]', 'bad.csv': 'id,n\n1,2\n3' }
  const vitrine = withFiles(t, files)
  for (const [words, code, message] of [
    [
      ['tasks.csv'],
      1,
      /^tasks\.csv: tasks gives it the name tasks, which the resource tasks already has; rename the file$/,
    ],
    [['a.csv', 'A.json'], 1, /^A\.json: a gives it the name a, which the resource a already has; rename the file$/],
    [['none.csv'], 1, /^none\.csv: no such file or directory$/],
    [['bad.csv'], 1, /^bad\.csv: line 3: has 1 cell where the header has 2$/],
    [['-'], 2, /^stdin cannot be read again; name a file$/],
    [['a.csv', '--table', 'a'], 2, /^--table: needs the address of its database/],
    [['sqlite:a.db'], 2, /^name a table or view of the database with --table$/],
    [['sqlite:none.db', '--table', 'a'], 1, /^a: the database cannot be opened;/],
    [['postgres://u:pa55word@:x/', '--table', 'a'], 2, /^<file\.\.\.>: (?!.*pa55word)/],
  ] as const) {
    const outcome = await vitrine.run('try', ...words)
    assert.match(outcome.stderr.trimEnd().replace(/^vitrine: /, ''), message)
    assert.deepEqual([outcome.code, outcome.stdout, vitrine.leftovers()], [code, '', []])
  }
})
