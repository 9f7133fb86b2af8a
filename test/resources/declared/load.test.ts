import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadDeclared } from '../../../src/resources/declared/load.ts'
import { resources } from '../../../src/resources/index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { changed, orders } from './orders.ts'

function folderWith(t: TestContext, files: Record<string, unknown>): string {
  const folder = temporaryFolder(t)
  for (const [name, content] of Object.entries(files))
    writeFileSync(
      join(folder, name),
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
    )
  return folder
}

const messageOf = (folder: string): string => {
  try {
    loadDeclared(folder, resources)
  } catch (error) {
    assert.equal((error as Error).name, 'UserError')
    return (error as Error).message
  }
  return assert.fail('it was loaded')
}

const supplier = (changes: Record<string, unknown> = {}) =>
  changed({ name: 'suppliers', singular: 'supplier', ...changes })

test('each file is a resource, in the order of their names; other files and folders are ignored', (t) => {
  const folder = folderWith(t, { 'b.json': orders, 'a.json': supplier(), 'notes.md': 'x', '.hidden.json': '{' })
  mkdirSync(join(folder, 'more'))
  writeFileSync(join(folder, 'more', 'c.json'), '{')
  assert.deepEqual(
    loadDeclared(folder, resources).map(({ name }) => name),
    ['suppliers', 'orders'],
  )
})

test('an unusable folder is named', (t) => {
  const folder = temporaryFolder(t)
  assert.equal(messageOf(folder), `RESOURCES: the folder ${folder} has no *.json file; add one, or unset RESOURCES`)
  const missing = join(folder, 'missing')
  assert.equal(messageOf(missing), `RESOURCES: the folder ${missing} cannot be read: no such file or directory`)
  const file = join(folder, 'x.json')
  writeFileSync(file, '{}')
  assert.equal(messageOf(file), `RESOURCES: the folder ${file} cannot be read: not a directory`)
  for (let i = 0; i < 49; i++) writeFileSync(join(folder, `${i}.json`), '{}')
  assert.equal(
    messageOf(folder),
    `RESOURCES: the folder ${folder} has 50 *.json files; at most 49 lists can be declared`,
  )
})

const unreadable: [what: string, content: string | Buffer, problem: RegExp][] = [
  ['not JSON', '{"name": ', /is not JSON: /],
  ['not an object', '[]', /must be an object$/],
  ['ISO 8859-1', Buffer.from('{"name": "caf\xe9"}', 'latin1'), /must be text in UTF-8$/],
  ['too long', ' '.repeat(1_048_577), /is longer than 1024 KiB$/],
  ['too deep', '['.repeat(100) + ']'.repeat(100), /nests deeper than 64 levels$/],
  [
    'a prototype',
    '{"__proto__": {"name": "x"}, "fields": {"__proto__": {"type": "text"}}}',
    /__proto__ is not a known field/,
  ],
]

for (const [what, content, problem] of unreadable)
  test(`a file is rejected in one line that names it: ${what}`, (t) => {
    const folder = folderWith(t, { 'x.json': content })
    const message = messageOf(folder)
    assert.ok(message.startsWith(`RESOURCES: ${join(folder, 'x.json')}: `), message)
    assert.match(message, problem)
    assert.doesNotMatch(message, /\n/)
  })

test('anything but a file is rejected, and a link to one is read', (t) => {
  const folder = folderWith(t, { 'x.json': orders })
  symlinkSync(join(folder, 'x.json'), join(folder, 'y.json'))
  assert.match(messageOf(folder), /y\.json: name gives it the name orders, which the resource orders already has/)
  mkdirSync(join(folder, 'z.json'))
  assert.match(messageOf(folder), /z\.json: must be a file/)
  if (process.getuid?.() === 0) return
  chmodSync(join(folder, 'x.json'), 0)
  assert.match(messageOf(folder), /x\.json: cannot be read \(EACCES\)/)
})

test('the faults of all files are in one line, up to twenty', (t) => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`fields.x_${i}`, { type: 'text', maxLength: 9, description: 'x' }]),
  )
  const folder = folderWith(t, { 'a.json': changed({ order: ['x'], search: ['status'] }), 'b.json': changed(many) })
  const message = messageOf(folder)
  assert.match(message, /a\.json: order\.0 .*a\.json: search\.0 .*b\.json: fields\.x_0 .*; and 12 more$/)
  assert.doesNotMatch(message, /\n/)
})

const taken: [changes: Record<string, unknown>, fault: string][] = [
  [{ name: 'tasks' }, 'name gives it the name tasks, which the resource tasks already has; choose another'],
  [{ name: 'workspace' }, 'name gives it the name workspace, which the resource workspace already has; choose another'],
  [{ name: 'total' }, 'name gives it the name total, which the service already has; choose another'],
  [{ name: 'docs' }, 'name gives it the path /docs, which the service already has; choose another'],
  [{ name: 'v2' }, 'name gives it the path /v2, which the service already has; choose another'],
  [{ singular: 'task' }, 'singular gives it the command task, which the resource tasks already has; choose another'],
  [{ singular: 'key' }, 'singular gives it the command key, which the service already has; choose another'],
  [{ singular: 'help' }, 'singular gives it the command help, which the service already has; choose another'],
  [{ singular: 'problem' }, 'singular gives it the schema name Problem, which the service already has; choose another'],
  [
    { singular: 'mcp-error' },
    'singular gives it the schema name McpError, which the service already has; choose another',
  ],
]

for (const [changes, fault] of taken)
  test(`a name that is taken is rejected: ${fault}`, (t) => {
    const folder = folderWith(t, { 'x.json': changed(changes) })
    assert.equal(messageOf(folder), `RESOURCES: ${join(folder, 'x.json')}: ${fault}`)
  })

test('two files cannot share a name', (t) => {
  const folder = folderWith(t, { 'a.json': orders, 'b.json': supplier({ singular: 'order' }) })
  assert.equal(
    messageOf(folder),
    `RESOURCES: ${join(folder, 'b.json')}: singular gives it the command order, which the resource orders already has; choose another`,
  )
})
