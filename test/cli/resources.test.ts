import assert from 'node:assert/strict'
import { importCommand } from '../../src/cli/commands/row/import.ts'
import type { Context } from '../../src/cli/context.ts'
import { creation, text } from '../../src/lists/column.ts'
import { createList } from '../../src/lists/definition.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { testOnce } from '../support/database.ts'
import { resources } from '../support/further-resources.ts'
import { acmeProgramOf, program } from '../support/program.ts'

const FURTHER = import.meta.resolve('../support/further-resources.ts')
const PERMISSIONS = permissionsOf(resources)

testOnce("a key's permissions are those of the resources that the program was built with", async (t) => {
  const vitrine = await acmeProgramOf(t, FURTHER)
  const create = ['key', 'create', '--workspace', 'acme', '--label', 'x']
  const granted = async (...args: string[]) => JSON.parse(await vitrine.ok(...create, '--json', ...args)).permissions
  assert.deepEqual(await granted(), PERMISSIONS)
  assert.deepEqual(await granted('--permissions', 'unicorns:read'), ['unicorns:read'])
  assert.match(
    (await vitrine.run(...create, '--permissions', 'unicorns:write')).stderr,
    /unknown permission "unicorns:write"; did you mean unicorns:read\? 'vitrine key create --help' lists all\n$/,
  )
  const help = await vitrine.ok('key', 'create', '--help')
  for (const permission of PERMISSIONS) assert.ok(help.includes(`"${permission}"`), permission)
})

testOnce(`a server serves the resources that the program was built with`, async (t) => {
  const vitrine = await acmeProgramOf(t, FURTHER)
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  vitrine.env.LIFECYCLE = '{"/unicorns":{"deprecation":"2026-01-01T00:00:00Z"}}'
  assert.match(await vitrine.ok('doctor'), /^ok {4}settings: all valid$/m)
  const server = await vitrine.start('serve')
  const response = await fetch(`${server.url}/unicorns`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(await response.text(), '{"unicorns":"Müller’s"}')
  assert.equal(response.headers.get('deprecation'), '@1767225600')
})

testOnce("the demo's key may read every resource that the program was built with", async (t) => {
  const vitrine = program(t, {}, FURTHER)
  const demo = await vitrine.start('demo')
  await demo.printed('Ctrl+C')
  const [key] = await vitrine.json('key', 'list', '--workspace', 'northwind')
  assert.deepEqual(key.permissions, PERMISSIONS)
})

testOnce('the help of an import lists the fields that are not in responses, if any', async () => {
  const helpOf = (published: boolean) => {
    const columns = {
      id: text({ maxLength: 10, description: '' }),
      createdAt: creation({ published, description: '' }),
    }
    const list = createList({ name: 'shelves', singular: 'shelf', columns }, { limit: 10, countBy: {} })
    let help = ''
    const command = importCommand({} as Context, list, '/shelves')
    command.configureOutput({ writeOut: (words) => (help += words) }).outputHelp()
    return help.replace(/\s+/g, ' ')
  }
  assert.match(helpOf(false), /in the response to 'GET \/shelves', and may also have createdAt\. Only id is required\./)
  assert.match(helpOf(true), /in the response to 'GET \/shelves'\. Only id is required\./)
})
