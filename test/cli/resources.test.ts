import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Program, program } from '../support/program.ts'

const MAIN = join(import.meta.dirname, '../support/further-resources-main.ts')
const PERMISSIONS = ['workspace:read', 'tasks:read', 'notes:read']

async function acme(t: TestContext, settings: Record<string, string> = {}): Promise<Program> {
  const vitrine = program(t, settings, MAIN)
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  return vitrine
}

test('the permissions of a key are those of the resources that the program was built from', async (t) => {
  const vitrine = await acme(t)
  const create = ['key', 'create', '--workspace', 'acme', '--label', 'x']
  const permissionsOf = async (...args: string[]) =>
    JSON.parse(await vitrine.ok(...create, '--json', ...args)).permissions
  assert.deepEqual(await permissionsOf(), PERMISSIONS)
  assert.deepEqual(await permissionsOf('--permissions', 'notes:read'), ['notes:read'])
  assert.match(
    (await vitrine.run(...create, '--permissions', 'notes:write')).stderr,
    /there is no "notes:write"; choose among workspace:read,tasks:read,notes:read\n$/,
  )
  const help = await vitrine.ok('key', 'create', '--help')
  assert.match(help.replace(/\s+/g, ' '), /workspace:read,tasks:read,notes:read/)
})

for (const workers of ['1', '2'])
  test(`a server with ${workers} workers serves the resources that the program was built from`, async (t) => {
    const vitrine = await acme(t, { WORKERS: workers })
    const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
    vitrine.env.LIFECYCLE = '{"/notes":{"deprecation":"2026-01-01T00:00:00Z"}}'
    assert.match(await vitrine.ok('doctor'), /^ok {4}settings: all usable$/m)
    const server = await vitrine.start('serve')
    const response = await fetch(`${server.url}/notes`, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(await response.text(), '{"notes":"none"}')
    assert.equal(response.headers.get('deprecation'), '@1767225600')
  })

test('the key of the demo may read every resource that the program was built from', async (t) => {
  const vitrine = program(t, {}, MAIN)
  const demo = await vitrine.start('demo')
  while (!demo.output().includes('Ctrl+C')) await new Promise((resolve) => setTimeout(resolve, 20))
  const [key] = JSON.parse(await vitrine.ok('key', 'list', '--workspace', 'northwind', '--json'))
  assert.deepEqual(key.permissions, PERMISSIONS)
})
