import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { reservedCommands } from '../../src/api/reserved-commands.ts'
import { reservedPaths } from '../../src/api/reserved-paths.ts'
import { createApp } from '../../src/app.ts'
import { createContext } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import type { PublicStore } from '../../src/database/store.ts'
import { Logger } from '../../src/lib/logger.ts'
import { string } from '../../src/lib/schema.ts'
import { column } from '../../src/lists/column.ts'
import { createList } from '../../src/lists/definition.ts'
import { checkResources } from '../../src/resources/check.ts'
import type { Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { failingResource } from '../support/failing-resource.ts'
import { startService } from '../support/service.ts'

const withList = (resource: Resource, name: string, singular: string): Resource => ({
  ...resource,
  list: createList(
    { name, singular, columns: { id: column('text', { maxLength: 9, description: '' }) } },
    { limit: 10, countBy: {} },
  ),
})

const failing: Resource = { ...failingResource(undefined), permission: 'failing:read', schemas: { Shelf: string() } }
const one = withList(failing, 'shelves', 'shelf')
const other: Resource = {
  ...failing,
  schemas: {},
  name: 'other',
  path: '/other',
  permission: 'other:read',
  tool: { ...one.tool, name: 'read_other' },
}

test("one of the service's own paths is rejected", async (t) => {
  const { url } = await startService(t)
  const own = [
    '/mcp',
    '/v1/mcp',
    '/openapi.json',
    '/problems/not_found',
    '/healthz',
    '/',
    '/docs',
    '/llms.txt',
  ] as const
  const guessed = ['/authorize', '/register', '/token'] as const
  for (const path of [...own, ...reservedPaths, ...guessed, '/settings/x', '/api/x', '/v2'] as const) {
    const message = `resource other: the path ${path} belongs to the service; choose another`
    assert.throws(() => checkResources([{ ...other, path }]), { name: 'UserError', message })
  }
  for (const path of own)
    assert.notEqual((await fetch(url + path, { headers: { accept: 'text/html' } })).status, 404, path)
})

/** What the service itself names, as the committed contract has it. */
const contract = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../contract/${name}.json`, import.meta.url), 'utf8'))

test('names that the service itself uses are rejected', () => {
  const refused = (resource: Resource, what: string) =>
    assert.throws(() => checkResources([resource]), {
      message: `resource ${resource.name}: the ${what} belongs to the service; choose another`,
    })
  for (const command of [...reservedCommands, 'help']) refused(withList(other, 'others', command), `command ${command}`)
  const published = resources.flatMap(({ schemas }) => Object.keys(schemas))
  for (const schema of Object.keys(contract('openapi').components.schemas))
    if (!published.includes(schema)) refused({ ...other, schemas: { [schema]: string() } }, `schema name ${schema}`)
  const names = new Set(resources.map(({ name }) => name))
  for (const { outputSchema } of contract('tools-2026-07-28').tools)
    for (const name of Object.keys(outputSchema.properties))
      if (/^[a-z]+$/.test(name) && !names.has(name)) refused({ ...other, name }, `name ${name}`)
})

test('neither the app nor the command line accepts rejected resources', async () => {
  const clashing = [failing, { ...other, path: failing.path }]
  const message = 'resources failing and other: both have the path /failing; change one'
  const options = { log: new Logger({ write() {} }, 'silent'), resources: clashing }
  // It is checked before the store is asked anything.
  assert.throws(() => createApp(readConfig({}), {} as PublicStore, options), { message })
  const module = `data:text/javascript,export const resources = ${encodeURIComponent(JSON.stringify(clashing))}`
  await assert.rejects(createContext(module), { message })
})
