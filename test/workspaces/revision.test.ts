// On both engines: each command’s statements run once.
/** Responses are cached until their workspace's revision moves, so no command that changes what a response says may forget to move it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandPath, commandTree, leavesOf } from '../cli/command-tree.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { program } from '../support/program.ts'

/** Their responses are not cached, or they write no response's data. */
const OTHERS =
  /^(key|member|audit|notice|resource|check|doctor|serve|demo|try|stdio|openapi|migrate|backup|restore|copy|.* (list|show|map))( |$)/

test('every command that changes what responses say moves the revision', async (t) => {
  const vitrine = program(t, { DATABASE_URL: await migratedDatabaseUrl(t) })
  const acme = vitrine.writeFile('acme.json', '{"workspaces":[{"slug":"acme","name":"Acme Ltd"}]}')
  const tasks = vitrine.writeFile('tasks.json', '[{"id":"a","title":"A"}]')
  const synced = vitrine.writeFile('synced.json', '[{"id":"b","title":"B"}]')
  /** In this order, each once. */
  const moving: [command: string, ...args: string[]][] = [
    ['workspace create', '--name', 'Acme', '--slug', 'acme'],
    ['workspace update', 'acme', '--timezone', 'Europe/London'],
    ['workspace archive', 'acme'],
    ['workspace restore', 'acme'],
    ['apply', acme],
    ['task import', '--workspace', 'acme', tasks],
    ['task sync', '--workspace', 'acme', '--source', 'tracker', synced],
    ['task delete', '--workspace', 'acme', 'a'],
    ['source delete', '--workspace', 'acme', 'tracker', '--yes'],
    ['workspace delete', 'acme', '--yes'],
  ]
  let before = 0
  for (const [command, ...args] of moving) {
    await vitrine.ok(...command.split(' '), ...args)
    const [row] = await vitrine.query<{ number: number | string }>('SELECT number FROM revisions')
    const after = Number(row?.number)
    assert.ok(after > before, command)
    before = after
  }
  const commands = leavesOf(await commandTree()).map(commandPath)
  const tried = new Set(moving.map(([command]) => command))
  assert.deepEqual(
    commands.filter((command) => !tried.has(command) && !OTHERS.test(command)),
    [],
    'commands of which nobody has said whether they move it',
  )
})
