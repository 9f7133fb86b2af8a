import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandPath, commandTree, leavesOf } from './command-tree.ts'

/** They print no result (a server, a bridge), or always JSON. */
const WITHOUT_RESULT = ['serve', 'demo', 'stdio', 'resource new', 'openapi', 'task map']

test('every command that prints a result prints it as JSON too', async () => {
  const without = leavesOf(await commandTree()).filter(({ options }) => !options.some(({ long }) => long === '--json'))
  assert.deepEqual(
    without.map(commandPath).filter((path) => !WITHOUT_RESULT.includes(path)),
    [],
  )
})
