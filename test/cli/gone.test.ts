// Run once: no database is opened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingNames } from '../../src/config.ts'
import { goneFrom, goneLine, insteadByName } from '../../src/gone.ts'
import { program } from '../support/program.ts'

const isSetting = (name: string) => /^[A-Z_]+$/.test(name)
const commands = Object.keys(insteadByName).filter((name) => !isSetting(name))

for (const name of commands)
  test(`${name} is gone, which is reported in one line with what serves instead`, async (t) => {
    const words = name.replace('*', 'task').split(' ')
    assert.equal(await program(t).fails(2, ...words), `vitrine: ${goneLine(name)}\n`)
  })

test('nothing that is gone is still a setting', () => {
  for (const name of Object.keys(insteadByName)) assert.ok(!settingNames.includes(name), name)
})

test('words that only look like something gone are not reported', () => {
  assert.equal(goneFrom([], []), undefined)
  assert.equal(goneFrom(['key', 'list', '--json'], ['key', 'list']), undefined)
  assert.equal(goneLine('toString'), undefined)
})
