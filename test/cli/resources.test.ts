import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Context } from '../../src/cli/context.ts'
import { importCommand } from '../../src/cli/import.ts'
import { creation, text } from '../../src/database/table.ts'
import { acmeProgram, program } from '../support/program.ts'

const MAIN = join(import.meta.dirname, '../support/further-resources-main.ts')
const PERMISSIONS = ['workspace:read', 'tasks:read', 'notes:read']

test('the permissions of a key are those of the resources that the program was built from', async (t) => {
  const vitrine = await acmeProgram(t, {}, MAIN)
  const create = ['key', 'create', '--workspace', 'acme', '--label', 'x']
  const permissionsOf = async (...args: string[]) =>
    JSON.parse(await vitrine.ok(...create, '--json', ...args)).permissions
  assert.deepEqual(await permissionsOf(), PERMISSIONS)
  assert.deepEqual(await permissionsOf('--permissions', 'notes:read'), ['notes:read'])
  assert.match(
    (await vitrine.run(...create, '--permissions', 'notes:write')).stderr,
    /unknown permission "notes:write"; choose from workspace:read,tasks:read,notes:read\n$/,
  )
  const help = await vitrine.ok('key', 'create', '--help')
  assert.match(help.replace(/\s+/g, ' '), /workspace:read,tasks:read,notes:read/)
})

for (const workers of ['1', '2'])
  test(`a server with ${workers} workers serves the resources that the program was built from`, async (t) => {
    const vitrine = await acmeProgram(t, { WORKERS: workers }, MAIN)
    const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
    vitrine.env.LIFECYCLE = '{"/notes":{"deprecation":"2026-01-01T00:00:00Z"}}'
    assert.match(await vitrine.ok('doctor'), /^ok {4}settings: all valid$/m)
    const server = await vitrine.start('serve')
    const response = await fetch(`${server.url}/notes`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(await response.text(), '{"notes":"none"}')
    assert.equal(response.headers.get('deprecation'), '@1767225600')
  })

test('the key of the demo may read every resource that the program was built from', async (t) => {
  const vitrine = program(t, {}, MAIN)
  const demo = await vitrine.start('demo')
  await demo.printed('Ctrl+C')
  const [key] = JSON.parse(await vitrine.ok('key', 'list', '--workspace', 'northwind', '--json'))
  assert.deepEqual(key.permissions, PERMISSIONS)
})

test('the help of an import lists the fields that are not answered, if there are any', () => {
  const helpOf = (hidden: boolean) => {
    const columns = {
      id: text({ maxLength: 10, description: '' }),
      createdAt: creation({ hidden, description: '' }),
    }
    const table = { name: 'shelves', singular: 'shelf', version: 1, columns, sqlite: [], postgres: [] }
    let help = ''
    const command = importCommand({} as Context, table, '/shelves')
    command.configureOutput({ writeOut: (words) => (help += words) }).outputHelp()
    return help.replace(/\s+/g, ' ')
  }
  assert.match(helpOf(true), /as 'GET \/shelves' answers them, and may add createdAt\. Only id is required\./)
  assert.match(helpOf(false), /as 'GET \/shelves' answers them\. Only id is required\./)
})
