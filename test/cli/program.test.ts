import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testOnce } from '../support/database.ts'
import { program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

testOnce('help explains, and a missing command is a usage error', async (t) => {
  const vitrine = program(t)
  const help = await vitrine.run('--help')
  assert.equal(help.code, 0)
  for (const word of ['serve', 'demo', 'workspace', 'key', 'task', 'member', 'audit', 'backup', 'restore', 'doctor'])
    assert.match(help.stdout, new RegExp(`^ {2}${word} `, 'm'))
  assert.match((await vitrine.run('serve', '--help')).stdout, /RATE_LIMIT +default quota of a key/)
  assert.equal((await vitrine.run('key')).code, 2)
  assert.equal((await vitrine.run()).code, 2)
})

testOnce('help is available even if the folder RESOURCES cannot be used', async (t) => {
  const vitrine = program(t, { RESOURCES: 'nowhere' })
  assert.match(await vitrine.ok('help', 'key'), /^Usage: vitrine key /)
  assert.match(await vitrine.ok('help'), /Commands of your own resources are missing: RESOURCES: /)
  for (const words of [
    ['order', 'list'],
    ['help', 'order'],
  ])
    assert.match(await vitrine.fails(1, ...words), /^vitrine: RESOURCES: /)
})

for (const singular of ['key', 'help'])
  testOnce(`no resource can take the command '${singular}'`, async (t) => {
    const folder = temporaryFolder(t)
    const at = (path: string) => JSON.stringify(import.meta.resolve(`../../src/${path}`))
    writeFileSync(
      join(folder, 'resources.mjs'),
      `import { tasks } from ${at('resources/tasks/contract.ts')}
       export const resources = [{ ...tasks, list: { ...tasks.list, singular: '${singular}' } }]`,
    )
    const { code, stderr } = await program(t, {}, `file://${folder}/resources.mjs`).run('workspace', 'list')
    assert.equal(code, 1)
    assert.equal(stderr, `vitrine: resource tasks: the command ${singular} belongs to the service; choose another\n`)
  })
