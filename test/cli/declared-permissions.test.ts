import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { manyResources } from '../support/many-resources.ts'
import { program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('declared permissions are granted only if they are chosen; a draft has neither permission nor route', async (t) => {
  const folder = temporaryFolder(t)
  const builtIn = permissionsOf(resources)
  for (const { declared } of manyResources().slice(resources.length, resources.length + 3))
    await writeFile(
      join(folder, `${declared?.name}.json`),
      JSON.stringify({ ...declared, state: declared?.name === 'suppliers' ? 'draft' : 'published' }),
    )
  const vitrine = program(t, { RESOURCES: folder })
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const create = ['key', 'create', '--workspace', 'acme', '--label', 'x']
  const granted = async (...args: string[]) => (await vitrine.json(...create, ...args)).permissions
  assert.deepEqual(await granted(), builtIn)
  assert.deepEqual(await granted('--permissions', 'orders:read,tasks:read'), ['tasks:read', 'orders:read'])
  const refused = async (permission: string) => (await vitrine.run(...create, '--permissions', permission)).stderr
  assert.match(await refused('order:read'), /unknown permission "order:read"; did you mean orders:read\?/)
  assert.match(await refused('suppliers:read'), /unknown permission "suppliers:read"/)
  const defaults = new RegExp(`default:\\s+${builtIn.join(',')}\\).*"invoices:read"`, 's')
  assert.match(await vitrine.ok('key', 'create', '--help'), defaults)

  const counts = (await vitrine.run('workspace', 'delete', 'acme')).stderr
  assert.match(counts, /with .*, 0 invoices, 0 orders, 0 suppliers, 0 members, 0 sources \(keys in use: 2\)/)

  const server = await vitrine.serve()
  assert.equal((await fetch(`${server.url}/suppliers`)).status, 404, 'a draft has no route')
  for (const chosen of [[], ['--permissions', 'orders:read,tasks:read']]) {
    vitrine.env.VITRINE_KEY = await vitrine.ok(...create, ...chosen)
    const { code, stdout } = await vitrine.run('check', server.url, '--json')
    const { results } = JSON.parse(stdout) as { results: { id: string; status: string }[] }
    const failed = results.filter(({ status }) => status === 'failed')
    assert.deepEqual([code, failed], [0, []])
    const { status } = results.find(({ id }) => id === 'rest.orders.get') ?? {}
    assert.equal(status, chosen.length === 0 ? 'skipped' : 'passed')
  }

  await writeFile(join(folder, 'orders.json'), '{')
  assert.match(await refused('invoices:read'), /RESOURCES: .*orders\.json: is not JSON/)
})
