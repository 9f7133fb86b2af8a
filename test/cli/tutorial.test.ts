import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { documentedBlocks } from '../support/documented.ts'
import { PROGRAM, program } from '../support/program.ts'

const blocks = documentedBlocks('docs/tutorial.md')
const steps = blocks.filter(({ language }) => language === 'sh')
const INSTALL = 'npm install\n'
const TRY = 'bin/vitrine try docs/examples/orders.csv\n'
const SERVE = 'bin/vitrine serve\n'
const OWN_TABLE = /^cat > orders\.csv/

test('the tutorial leads to what is due today, and to your own table, step by step', async (t) => {
  const vitrine = program(t, { TZ: 'Europe/London', DATABASE_URL: 'sqlite:data/vitrine.db' })
  await vitrine.run('workspace', 'list')
  const { folder, env } = vitrine
  mkdirSync(join(folder, 'bin'))
  symlinkSync(PROGRAM, join(folder, 'bin/vitrine'))
  copyFileSync(join(import.meta.dirname, '../import/maps/jira-csv.csv'), join(folder, 'jira.csv'))
  const paste = (text: string, given: Record<string, string> = {}) => {
    const options = { cwd: folder, env: { ...env, ...given }, input: text, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync('sh', ['-e'], options)
    assert.equal(status, 0, `${text}\n${stdout}\n${stderr}`)
    return stdout
  }

  // The tests run in a clone in which the first step was already done.
  assert.equal(steps[0]?.text, INSTALL)
  assert.equal(steps[1]?.text, TRY)
  await t.test('a file is served as shown', async () => {
    const file = join(import.meta.dirname, '../../docs/examples/orders.csv')
    mkdirSync(join(folder, 'docs/examples'), { recursive: true })
    copyFileSync(file, join(folder, 'docs/examples/orders.csv'))
    const trying = await vitrine.begin(...TRY.trim().split(' ').slice(1))
    await trying.printed('Nothing is left behind')
    const shown = blocks.find(({ language }) => language === 'text')?.text ?? ''
    const printed = trying
      .output()
      .replace(/:\d+(?=[/,])/g, ':41925')
      .replace(/vtr_\w+/g, 'vtr_…')
      .replace(/token=\S+/, 'token=…')
    assert.equal(printed, shown)
    assert.equal(await trying.stop('SIGINT'), 0)
  })
  const texts = steps.slice(2).map(({ text }) => text)
  const start = texts.indexOf(SERVE)
  assert.ok(start > 0 && texts.length > start + 1)
  const before = paste(`${texts.slice(0, start).join('')}echo "KEY=$VITRINE_KEY"\n`)
  assert.match(before, /^1 .* sheet +current +Confirm the linen order$/m)
  const [, VITRINE_KEY = ''] = /^KEY=(vtr_\w+)$/m.exec(before) ?? []

  const server = await vitrine.start('serve')
  const ownTable = texts.findIndex((text) => OWN_TABLE.test(text))
  const again = texts.lastIndexOf(SERVE)
  assert.ok(ownTable > start && again > ownTable)
  const after = texts.slice(start + 1, ownTable).join('')
  const claude = `claude() { for each in "$@"; do printf 'claude: %s\\n' "$each"; done; }\n`
  const printed = paste(claude + after.replaceAll('http://127.0.0.1:3000', server.url), { VITRINE_KEY })
  assert.match(printed, /"title":"Confirm the linen order"/)
  const given = [...printed.matchAll(/claude: (.*)/g)].map(([, word = '']) => word)
  const [mcp, add, transport, http, name, url = '', flag, header = ''] = given
  assert.deepEqual(
    [mcp, add, transport, http, name, flag],
    ['mcp', 'add', '--transport', 'http', 'vitrine-acme', '--header'],
  )

  const client = new Client({ name: 'claude', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  t.after(() => client.close())
  const [field = '', value = ''] = header.split(': ')
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { [field]: value } } }),
  )
  const call = async (tool: string, args = {}) =>
    (await client.callTool({ name: tool, arguments: args })).structuredContent as Record<string, unknown>
  assert.match(String((await call('get_workspace')).localDate), /^\d{4}-\d\d-\d\d$/)
  // The file's day, which is today unless midnight has passed.
  const day = Date.parse(/"dueAt":"(\d{4}-\d\d-\d\d)[^}]*"assigneeName":"Priya"/.exec(printed)?.[1] ?? '')
  const date = (days: number) => new Date(day + days * 86_400_000).toISOString().slice(0, 10)
  const due = { dueAfter: date(0), dueBefore: date(1) }
  // The sample export of Jira has a due date of its own.
  const { tasks } = await call('list_tasks', { ...due, assignee: 'Priya', fields: ['assigneeName'] })
  assert.deepEqual(tasks, [{ id: '1', title: 'Confirm the linen order', assigneeName: 'Priya' }])

  const ordersKey = /^KEY=(vtr_\w+)$/m.exec(paste(`${texts.slice(ownTable, again).join('')}echo "KEY=$VITRINE_KEY"\n`))
  await server.stop()
  const { url: newUrl } = await vitrine.start('serve')
  const read = texts
    .slice(again + 1)
    .join('')
    .replaceAll('http://127.0.0.1:3000', newUrl)
  const { orders } = JSON.parse(paste(read, { VITRINE_KEY: ordersKey?.[1] ?? '' })) as { orders: { id: string }[] }
  assert.deepEqual(orders.map(({ id }) => id).toSorted(), ['PO-1', 'PO-2', 'PO-3'])
})
