import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingNames } from '../../src/config.ts'
import { goneFrom, goneLine, insteadByName } from '../../src/gone.ts'
import { program } from '../support/program.ts'

const isSetting = (name: string) => /^[A-Z_]+$/.test(name)
const names = Object.keys(insteadByName)
const commands = names.filter((name) => !isSetting(name))

for (const name of commands)
  test(`${name} is gone, which is reported in one line with what serves instead`, async (t) => {
    const words = name.replace('*', 'task').split(' ')
    assert.equal(await program(t).fails(2, ...words), `vitrine: ${goneLine(name)}\n`)
  })

test('a server reports each setting that is gone in one line, and serves', async (t) => {
  const settings = names.filter(isSetting)
  const server = await program(t, Object.fromEntries(settings.map((name) => [name, '2']))).start('serve')
  assert.deepEqual(
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('removed in'))
      .sort(),
    settings.map((name) => `vitrine: warning: ${goneLine(name)}`).sort(),
  )
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
})

test('nothing that is gone is still a setting', () => {
  for (const name of names) assert.ok(!settingNames.includes(name), name)
})

test('words that only look like something gone are not reported', () => {
  assert.equal(goneFrom([], []), undefined)
  assert.equal(goneFrom(['key', 'list', '--json'], ['key', 'list']), undefined)
  assert.equal(goneLine('toString'), undefined)
})
