import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { documentedCode } from '../support/documented.ts'
import { type Program, program } from '../support/program.ts'

const root = join(import.meta.dirname, '../..')
/** It runs until it is stopped. */
const SERVE = /^bin\/vitrine serve\n/m

/** Runs a page's code block as if pasted into a shell. */
function paste(vitrine: Program, block: string, given: Record<string, string> = {}) {
  const env = { ...vitrine.env, ...given }
  const { status, stdout, stderr } = spawnSync('sh', ['-e'], { cwd: root, env, input: block, encoding: 'utf8' })
  assert.equal(status, 0, `${block}\n${stdout}\n${stderr}`)
  return stdout
}

const blockWith = (page: string, words: string) => documentedCode(page, 'sh', words)

test('the commands in the guides work as shown, one page after the other', async (t) => {
  const vitrine = program(t)
  await vitrine.run('workspace', 'list')
  const operating = paste(vitrine, blockWith('docs/operating.md', 'workspace create').replace(SERVE, ''))
  assert.match(operating, /^ws_[0-9a-f]{18}\n[\s\S]*\nvtr_[0-9A-Za-z]{49}\n/)
  assert.match(operating, /^ok {4}acme: 5 entries, head 5:/m)
  assert.match(paste(vitrine, blockWith('docs/settings.md', 'member link')), /\/settings\/sign-in\/link\?token=/)
  assert.match(paste(vitrine, blockWith('docs/audit.md', 'audit verify\n')), /^ok {4}acme: 6 entries/)
  assert.match(paste(vitrine, blockWith('docs/settings.md', 'member role')), /^ana@acme\.example +admin /m)
  paste(vitrine, blockWith('docs/audit.md', 'audit --workspace'))
  const life = paste(vitrine, blockWith('docs/keys.md', 'key pause'))
  assert.match(life, /^label +monthly report\n[\s\S]*^state +live$[\s\S]*^expires +2100-01-01T00:00:00.000Z$/m)
  assert.match(
    paste(vitrine, blockWith('docs/operating.md', 'workspace update')),
    /^t-2 .* current [\s\S]*^state +current$/m,
  )
  assert.equal(await vitrine.ok('workspace', 'list'), '')
})

test('every command of the program is in a guide', async (t) => {
  const vitrine = program(t)
  const commandsOf = async (...group: string[]) => {
    const [, list = ''] = (await vitrine.ok(...group, '--help')).split('\nCommands:\n')
    const [commands = ''] = list.split('\n\n')
    return [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
  }
  const guides = globSync('docs/*.md', { cwd: root }).map((page) => readFileSync(join(root, page), 'utf8'))
  const missing: string[] = []
  for (const name of await commandsOf()) {
    const subcommands = (await commandsOf(name)).map((verb) => `${name} ${verb}`)
    for (const words of subcommands.length > 0 ? subcommands : [`vitrine ${name}`])
      if (!guides.some((text) => new RegExp(`\\b${words}\\b`).test(text))) missing.push(words)
  }
  assert.deepEqual(missing, [])
})

test("the README's commands create a workspace and read the demo", async (t) => {
  const vitrine = program(t)
  await vitrine.run('workspace', 'list')
  paste(vitrine, blockWith('README.md', 'workspace create').replace(SERVE, ''))

  const demo = await program(t).start('demo')
  await demo.printed('Ctrl+C')
  const VITRINE_KEY = /vtr_[0-9A-Za-z]{49}/.exec(demo.output())?.[0] ?? ''
  const here = (block: string) => block.replaceAll('http://127.0.0.1:3000', demo.url)
  const ask = (block: string) => paste(vitrine, here(block.replace(/^export .*\n/, '')), { VITRINE_KEY })

  assert.ok(JSON.parse(ask(blockWith('README.md', '/tasks'))).tasks.length > 10)
  const response = JSON.parse(ask(blockWith('README.md', 'tools/call')))
  assert.equal(JSON.parse(response.result.content[0].text).tasks.length, 3)
  assert.equal(ask(blockWith('docs/rest.md', 'If-None-Match')), '304\n')
})
