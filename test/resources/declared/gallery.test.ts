/** Each resource of the gallery, from its file to a tool call. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { freshDatabaseUrl } from '../../support/database.ts'
import { program } from '../../support/program.ts'
import { callTool } from '../../support/tool-calls.ts'

const GALLERY = join(import.meta.dirname, '../../../examples/resources')
const names = readdirSync(GALLERY)
  .filter((file) => file.endsWith('.json'))
  .map((file) => basename(file, '.json'))

/** The ids that clients see, in order, and a question with the ids that answer it. */
const EXPECTED: Record<string, { ids: string[]; question: object; matches: string[] }> = {
  contacts: { ids: ['c-1', 'c-2'], question: { query: 'GLASS' }, matches: ['c-2'] },
  invoices: {
    ids: ['2026-0433', '2026-0417', '2026-0435'],
    question: { dueOnAfter: '2026-11-23', dueOnBefore: '2026-12-05' },
    matches: ['2026-0433'],
  },
  orders: {
    ids: ['PO-1004', 'PO-1002', 'PO-1001', 'PO-1003'],
    question: { urgent: false, status: 'sent' },
    matches: ['PO-1001'],
  },
  stock: {
    ids: ['OPO-100-22', 'OPO-300-07', 'LIS-200-01', 'LIS-100-22'],
    question: { warehouse: 'OPO' },
    matches: ['OPO-100-22', 'OPO-300-07'],
  },
  suppliers: { ids: ['S-17', 'S-19', 'S-18'], question: { country: 'JP' }, matches: ['S-19'] },
}

test("the gallery's files are checked, migrated, filled and read", async (t) => {
  assert.deepEqual(Object.keys(EXPECTED), names.toSorted())
  const vitrine = program(t, { DATABASE_URL: await freshDatabaseUrl(t), RESOURCES: GALLERY })
  const { ok, files } = JSON.parse(await vitrine.ok('resource', 'check', '--json')) as {
    ok: boolean
    files: { warnings: unknown[] }[]
  }
  assert.deepEqual([ok, files.map(({ warnings }) => warnings)], [true, names.map(() => [])])
  await vitrine.ok('migrate')
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme', '--timezone', 'Europe/Lisbon')
  for (const { name, command } of JSON.parse(await vitrine.ok('resource', 'list', '--json')) as {
    name: string
    command: string
  }[]) {
    const map = join(GALLERY, 'samples', `${name}.map.json`)
    const [sample = ''] = globSync(`${name}.{csv,ndjson,json}`, { cwd: join(GALLERY, 'samples') })
    const options = ['--workspace', 'acme', ...(existsSync(map) ? ['--map', map] : [])]
    await vitrine.ok(command, 'import', ...options, join(GALLERY, 'samples', sample))
  }
  const permissions = names.map((name) => `${name}:read`).join()
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x', '--permissions', permissions)
  const server = await vitrine.serve()
  const headers = { authorization: `Bearer ${key}` }
  for (const [name, { ids, question, matches }] of Object.entries(EXPECTED)) {
    const response = await fetch(`${server.url}/${name}`, { headers })
    assert.deepEqual(idsIn(await response.json(), name), ids)
    const called = await callTool({ url: server.url, key }, '2025-03-26 on /v2/mcp', `list_${name}`, question)
    assert.deepEqual(idsIn(JSON.parse(called.text), name), matches, name)
  }
  await server.stop()
})

const idsIn = (body: unknown, name: string) =>
  (body as Record<string, { id: string }[]>)[name]?.map(({ id }) => id) ?? []
