import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { orders } from '../resources/declared/orders.ts'
import { program } from '../support/program.ts'

const { name, singular, state, description, fields, example } = orders
const ORDERS = {
  ...{ name, singular, state, description },
  fields: { id: fields.id, supplier: fields.supplier, total: fields.total },
  order: ['supplier'],
  filters: ['supplier'],
  tool: { description: 'List open purchase orders.' },
  example: { id: example.id, supplier: example.supplier, total: example.total },
}

function programWith(t: TestContext, definitions: Record<string, object | string>) {
  const vitrine = program(t)
  const folder = join(vitrine.folder, 'resources')
  mkdirSync(folder)
  for (const [name, definition] of Object.entries(definitions))
    writeFileSync(join(folder, name), typeof definition === 'string' ? definition : JSON.stringify(definition))
  vitrine.env.RESOURCES = folder
  return { ...vitrine, folder: vitrine.folder }
}

test('a check shows the operation and the tool with its tokens, and as JSON a response', async (t) => {
  const vitrine = programWith(t, { 'orders.json': ORDERS })
  const shown = await vitrine.ok('resource', 'check')
  assert.match(shown, /^ok {4}\/.*resources\/orders\.json: orders is published$/m)
  assert.match(shown, /^ {2}GET \/orders: needs orders:read, and returns at most 100 orders$/m)
  assert.match(shown, /^ {2}Tool list_orders: about \d{3} tokens; List open purchase orders\./m)
  assert.doesNotMatch(shown, /^warn/m)

  const { ok, files } = await vitrine.json('resource', 'check')
  assert.deepEqual([ok, files.length, files[0].ok, files[0].faults, files[0].warnings], [true, 1, true, [], []])
  const { operation, tool, response } = files[0].resource
  assert.deepEqual([operation.path, operation.permission, tool.name], ['/orders', 'orders:read', 'list_orders'])
  assert.equal(tool.tokens, Math.ceil(Buffer.byteLength(JSON.stringify({ ...tool, tokens: undefined })) / 4))
  assert.deepEqual(response, { orders: [ORDERS.example] })
})

test('a check of an unusable folder names every fault, and exits with 1', async (t) => {
  const wrong = { ...ORDERS, fields: { ...ORDERS.fields, total: { ...ORDERS.fields.total, type: 'cash' } } }
  const vitrine = programWith(t, { 'a.json': wrong, 'b.json': '{', 'c.json': ORDERS, 'd.json': ORDERS })
  const { code, stdout } = await vitrine.run('resource', 'check')
  assert.equal(code, 1)
  assert.match(stdout, /^FAIL {2}.*a\.json: fields\.total\.type must be one of text, email/m)
  assert.match(stdout, /^FAIL {2}.*b\.json: is not JSON/m)
  assert.match(stdout, /^ok {4}.*c\.json/m)
  assert.match(stdout, /^FAIL {2}.*d\.json: name gives it the name orders, which the resource orders already has/m)
  const { files } = JSON.parse((await vitrine.run('resource', 'check', '--json')).stdout)
  assert.deepEqual(
    files.map(({ ok, faults }: { ok: boolean; faults: { member: string }[] }) => [ok, faults[0]?.member]),
    [
      [false, 'fields.total.type'],
      [false, ''],
      [true, undefined],
      [false, 'name'],
    ],
  )
  const refused = ['serve', 'apply none.json', 'workspace list', 'order list', '--env-file empty.env order list']
  vitrine.writeFile('empty.env', '')
  for (const command of refused) {
    const failed = await vitrine.run(...command.split(' '))
    assert.match(failed.stderr, /^vitrine: RESOURCES: .*a\.json: fields\.total\.type must be/, command)
    assert.equal(failed.code, 1, command)
  }
  assert.match(await vitrine.ok('--help'), /^Commands of your own resources are missing: RESOURCES: .*a\.json/m)
})

test('the list of resources shows their names for clients and commands', async (t) => {
  const vitrine = programWith(t, { 'orders.json': { ...ORDERS, state: 'draft' } })
  const listed = async () => vitrine.ok('resource', 'list')
  assert.match(await listed(), /^orders +draft +\/orders +list_orders +orders:read +order +- +\S+orders\.json$/m)
  await vitrine.ok('migrate')
  assert.match(await listed(), / order +yes +/)
  const file = join(vitrine.folder, 'resources/orders.json')
  writeFileSync(file, JSON.stringify({ ...ORDERS, state: 'draft', description: 'Orders.' }))
  assert.match(await listed(), / order +changed +/)
  rmSync(file)
  delete vitrine.env.RESOURCES
  const [orders] = await vitrine.json('resource', 'list')
  assert.deepEqual([orders.name, orders.state, orders.command, orders.file], ['orders', 'draft', 'order', null])

  const without = programWith(t, { 'orders.json': ORDERS })
  without.env.DATABASE_URL = `sqlite:${without.folder}/none.db`
  const { stdout, stderr } = await without.run('resource', 'list')
  assert.match(stdout, / order +- +/)
  assert.match(stderr, /^The database was not read: /)
})

test('without RESOURCES, definitions are those in the folder resources beside a SQLite database', async (t) => {
  const vitrine = program(t)
  mkdirSync(join(vitrine.folder, 'data/resources'), { recursive: true })
  vitrine.env.DATABASE_URL = 'sqlite:data/vitrine.db'
  vitrine.writeFile('data/resources/notes.txt', 'No definition.')
  assert.equal((await vitrine.run('resource', 'check')).code, 2)
  vitrine.writeFile('data/resources/orders.json', JSON.stringify(ORDERS))
  await vitrine.ok('migrate')
  const [{ name, file }] = await vitrine.json('resource', 'list')
  assert.deepEqual([name, file], ['orders', 'data/resources/orders.json'])
  assert.match(await vitrine.ok('resource', 'check'), /orders is published/)
  rmSync(join(vitrine.folder, 'data/resources'), { recursive: true })
  assert.match(
    await vitrine.fails(1, 'workspace', 'list'),
    /RESOURCES is not set; set it to the folder with their definitions, which were last read from \/.*\/data\/resources$/m,
  )
})

test('the OpenAPI document is the one that a server with the same settings serves', async (t) => {
  const vitrine = programWith(t, {
    'orders.json': ORDERS,
    'notes.json': { ...ORDERS, name: 'notes', singular: 'note', state: 'draft' },
  })
  vitrine.env.PUBLIC_URL = 'https://vitrine.example'
  await vitrine.ok('migrate')
  const printed = await vitrine.ok('openapi')
  const { paths, servers } = JSON.parse(printed)
  assert.deepEqual(servers, [{ url: 'https://vitrine.example' }])
  assert.ok('/orders' in paths && !('/notes' in paths))
  const server = await vitrine.serve()
  assert.equal(await (await fetch(`${server.url}/openapi.json`)).text(), printed)
})

test('a draft is printed while the folder has its empty file, and does not overwrite an existing map', async (t) => {
  const vitrine = programWith(t, { 'people.json': '' })
  vitrine.writeFile('people.csv', 'Person Id,Full name\n1,Ann\n2,Bo')
  const draft = ['resource', 'new', 'people', '--from', 'people.csv']
  const { stdout, stderr } = await vitrine.run(...draft)
  assert.equal(JSON.parse(stdout).name, 'people')
  assert.match(stderr, /^- to import the sample, a map is needed: add --write-map FILE$/m)
  assert.equal((await vitrine.run(...draft, '--write-map', 'people.map.json')).code, 0)
  const map = readFileSync(join(vitrine.folder, 'people.map.json'), 'utf8')
  assert.deepEqual(JSON.parse(map), { format: 'csv', fields: { id: 'Person Id', fullName: 'Full name' } })
  assert.match(
    await vitrine.fails(2, ...draft, '--write-map', 'people.map.json'),
    /^vitrine: --write-map: people\.map\.json already exists/,
  )
  assert.match(
    await vitrine.fails(2, 'resource', 'new', 'tasks', '--from', 'people.csv'),
    /^vitrine: <name>: tasks gives it the name tasks, which the resource tasks already has/,
  )
})
