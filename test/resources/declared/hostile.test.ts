// Run once: each test names its engines.
/** Nothing of a definition reaches SQL unquoted, and no name that is accepted breaks a database. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { definitionFaults } from '../../../src/resources/declared/check.ts'
import { compileDefinition } from '../../../src/resources/declared/compile.ts'
import type { Definition } from '../../../src/resources/declared/definition.ts'
import { loadDeclared } from '../../../src/resources/declared/load.ts'
import { resources } from '../../../src/resources/index.ts'
import { freshDatabaseUrl, testOnce } from '../../support/database.ts'
import { program } from '../../support/program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { changed } from './orders.ts'

const HOSTILE = [
  "'; DROP TABLE workspaces; --",
  '"; DROP TABLE workspaces; --',
  '$$; DROP TABLE vitrine.workspaces; $$',
  '$body1$',
  "it's",
  'a ? b',
  '$1',
  ':now',
  '%s %L %I',
  '\\',
  '\\u0000',
  '\0',
  '\ud800',
  '\u202e',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '--help',
  '-x',
  '',
  ' ',
  '\n',
  'é',
  '😀',
  'a'.repeat(10_001),
]

const places = [
  'name',
  'singular',
  'state',
  'description',
  'label',
  'tool.description',
  'order.0',
  'filters.0',
  'search.0',
  'current.status.0',
  'fields.status.values.0',
  'fields.supplier.default',
  'fields.supplier.description',
  'fields.total.type',
  'example.supplier',
]

test('whatever a definition contains, it is compiled or its faults are named', () => {
  const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.oneof(text, fc.jsonValue()), (place, value) => {
      const definition = changed({ [place]: value })
      const faults = definitionFaults(definition)
      if (faults.length === 0) compileDefinition(definition as Definition)
      for (const { field, problem } of faults) assert.ok(typeof field === 'string' && problem !== '')
    }),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(text, (name) => {
      const definition = changed({})
      Object.defineProperty(definition.fields, name, {
        ...{
          value: { type: 'boolean', nullable: true, description: 'x' },
          enumerable: true,
          configurable: true,
          writable: true,
        },
      })
      Object.defineProperty(definition.example, name, { value: null, enumerable: true })
      const faults = definitionFaults(definition)
      if (/^[a-z][a-zA-Z0-9]*$/.test(name)) return
      assert.ok(faults.length > 0, name)
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      assert.ok(definitionFaults(value).length > 0)
    }),
    { numRuns: 300 },
  )
})

/** Words of SQL, and names that our own statements use. */
const FIELDS =
  'order group select from where table index user default check values value n near walked found one c t s d last new old shown fault key text count json row seqs ids workspace now limit offset unchanged current end case when then null true false primary references constraint trigger column all any array as asc desc distinct do else except for grant having in into is join left like natural not on or outer place position right union unique using with date time timestamp interval numeric boolean'
    .split(' ')
    .filter((name) => name !== 'id')
    .slice(0, 95)

const words = (text: string) => ({ type: 'text', maxLength: 50, nullable: true, description: text })

/** Every hostile text that a definition may contain, where it may be. */
const hostile = () => {
  const texts = HOSTILE.filter((text) => definitionFaults(changed({ 'fields.status.values.3': text })).length === 0)
  assert.ok(texts.length > 10)
  return changed({
    name: 'select',
    singular: 'table',
    description: texts.join(' '),
    'tool.description': texts.join(' '),
    fields: {
      id: { type: 'text', maxLength: 50, description: texts[0] },
      kind: { type: 'choice', values: texts, default: texts[0], description: texts.join(' ') },
      note: { type: 'text', maxLength: 500, default: texts.join(' '), description: texts[1] },
      ...Object.fromEntries(FIELDS.map((name) => [name, words(texts[0] ?? '')])),
    },
    current: { kind: texts },
    order: ['order', 'group', 'kind'],
    filters: ['select', 'from', 'value', 'kind'],
    search: ['table', 'text', 'note'],
    label: 'default',
    example: {
      ...Object.fromEntries(FIELDS.map((name) => [name, null])),
      ...{ id: 'x', kind: texts[0], note: 'x' },
    },
  })
}

test('the hostile definition has no fault', () => assert.deepEqual(definitionFaults(hostile()), []))

for (const engine of ['sqlite', 'postgres'] as const)
  testOnce(`tables with hostile choices, defaults and names are created, filled and read (${engine})`, async (t) => {
    const definition = hostile() as Definition
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'x.json'), JSON.stringify(definition))
    assert.equal(loadDeclared(folder, resources).length, 1)
    const vitrine = program(t, { DATABASE_URL: await freshDatabaseUrl(t, engine), RESOURCES: folder })
    await vitrine.ok('migrate')
    await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
    const kinds = definition.fields.kind?.values ?? []
    const rows = kinds.map((kind, i) => ({
      id: `r${i}`,
      kind,
      order: `o${String(i).padStart(2, '0')}`,
      table: `needle${i}x`,
      value: 'v',
    }))
    vitrine.writeFile('rows.json', JSON.stringify(rows))
    await vitrine.ok('table', 'import', '--workspace', 'acme', 'rows.json')
    vitrine.writeFile('wrong.json', JSON.stringify([{ id: 'w', kind: 'not one of them' }]))
    const wrong = await vitrine.run('table', 'import', '--workspace', 'acme', 'wrong.json')
    assert.equal(wrong.code, 1)
    const listed = await vitrine.jsonLines('table', 'list', '--workspace', 'acme')
    assert.deepEqual(
      listed.map(({ id, kind, note, order }) => ({ id, kind, note, order })),
      rows.map(({ id, kind, order }) => ({ id, kind, note: definition.fields.note?.default, order })),
    )
    const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x', '--permissions', 'select:read')
    const server = await vitrine.serve()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const read = (await (await fetch(`${server.url}/select`, { headers })).json()) as { select: { kind: string }[] }
    assert.deepEqual(
      read.select.map(({ kind }) => kind),
      kinds,
    )
    const ask = async (args: object) => {
      const params = { name: 'list_select', arguments: args }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const response = await fetch(`${server.url}/mcp`, { method: 'POST', headers, body })
      return JSON.parse(((await response.json()) as { result: { content: [{ text: string }] } }).result.content[0].text)
    }
    for (const [i, kind] of kinds.entries())
      assert.deepEqual(
        (await ask({ kind })).select.map(({ id }: { id: string }) => id),
        [`r${i}`],
      )
    assert.equal((await ask({ value: 'v' })).total, kinds.length)
    assert.equal((await ask({ query: 'needle3x' })).total, 1)
    assert.deepEqual((await ask({ from: 'nowhere' })).total, 0)
    await server.stop()
    const doctor = await vitrine.run('doctor')
    assert.doesNotMatch(doctor.stdout, /^FAIL/m)
    assert.equal((await vitrine.query<{ n: number }>(`SELECT count(*) AS n FROM workspaces`)).length, 1)
  })

test('a resource with only the id is imported and synced', async (t) => {
  const folder = temporaryFolder(t)
  const changes = { order: [], filters: [], search: [], current: undefined, label: undefined, example: { id: 'a' } }
  const definition = changed({ ...changes, fields: { id: { type: 'text', maxLength: 50, description: 'The id.' } } })
  writeFileSync(join(folder, 'orders.json'), JSON.stringify(definition))
  const vitrine = program(t, { DATABASE_URL: await freshDatabaseUrl(t), RESOURCES: folder })
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  vitrine.writeFile('b.json', '[{"id": "b"}]')
  vitrine.writeFile('ac.json', '[{"id": "a"}, {"id": "c"}]')
  vitrine.writeFile('a.json', '[{"id": "a"}]')
  const fill = (...words: string[]) => vitrine.json('order', ...words, '--workspace', 'acme')
  assert.deepEqual(await fill('import', 'b.json'), { created: 1, replaced: 0, deleted: 0, unchanged: 0 })
  assert.deepEqual(await fill('import', 'b.json'), { created: 0, replaced: 0, deleted: 0, unchanged: 1 })
  const sync = (file: string) => fill('sync', '--source', 's', file)
  assert.deepEqual(await sync('ac.json'), { created: 2, changed: 0, gone: 0, unchanged: 0 })
  assert.deepEqual(await sync('a.json'), { created: 0, changed: 0, gone: 1, unchanged: 1 })
})
