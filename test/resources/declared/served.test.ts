import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { testOnce } from '../../support/database.ts'
import { program } from '../../support/program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { changed, orders } from './orders.ts'

function folderWith(t: TestContext, ...definitions: object[]): string {
  const folder = temporaryFolder(t)
  for (const [i, definition] of definitions.entries())
    writeFileSync(join(folder, `${i}.json`), JSON.stringify(definition))
  return folder
}

testOnce('the folder may be named in an env file', async (t) => {
  const vitrine = program(t)
  vitrine.writeFile('env', `RESOURCES=${folderWith(t, orders)}\n`)
  for (const option of [['--env-file', 'env'], ['--env-file=env']])
    assert.match(await vitrine.ok('order', 'import', '--help', ...option), /supplier/)
})

testOnce('an unusable folder stops only what needs it, in one line', async (t) => {
  const RESOURCES = folderWith(t, changed({ order: ['x'] }))
  const fault = `RESOURCES: ${join(RESOURCES, '0.json')}: order.0 "x" is not one of the fields; did you mean `
  const vitrine = program(t, { RESOURCES })
  for (const words of [
    ['serve'],
    ['migrate'],
    ['workspace', 'list'],
    ['order', 'list'],
    ['resource', 'list'],
    ['key', 'create', '--workspace', 'a', '--label', 'x'],
  ]) {
    const { code, stderr } = await vitrine.run(...words)
    assert.deepEqual(
      [code, stderr.startsWith(`vitrine: ${fault}`), stderr.split('\n').length],
      [1, true, 2],
      `${words}: ${stderr}`,
    )
  }
  assert.match((await vitrine.run('doctor')).stdout, new RegExp(`^FAIL  settings: ${RegExp.escape(fault)}`, 'm'))
  assert.match((await vitrine.run('--version')).stdout, /^vitrine \d/)
  assert.equal((await vitrine.run('--help')).code, 0)
  assert.ok((await vitrine.run('--help')).stdout.includes(fault))
  for (const words of [
    ['check', 'http://127.0.0.1:9'],
    ['stdio', '--url', 'http://127.0.0.1:9'],
  ])
    assert.doesNotMatch((await vitrine.runApart(...words)).stderr, /RESOURCES/)
})
