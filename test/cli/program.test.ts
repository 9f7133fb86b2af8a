import assert from 'node:assert/strict'
import { test } from 'node:test'
import { program } from '../support/program.ts'

test('help explains, and a missing command is a usage error', async (t) => {
  const vitrine = program(t)
  const help = await vitrine.run('--help')
  assert.equal(help.code, 0)
  for (const word of ['serve', 'demo', 'workspace', 'key', 'task', 'member', 'audit', 'backup', 'restore', 'doctor'])
    assert.match(help.stdout, new RegExp(`^ {2}${word} `, 'm'))
  assert.match((await vitrine.run('serve', '--help')).stdout, /RATE_LIMIT +default quota of a key/)
  assert.equal((await vitrine.run('key')).code, 2)
  assert.equal((await vitrine.run()).code, 2)
})
