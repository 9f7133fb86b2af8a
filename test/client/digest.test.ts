import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { days } from './digest-days.ts'
import { dueAt, setUpExamples } from './examples-project.ts'
import { root } from './tools.ts'

const readme = readFileSync(join(root, 'examples/README.md'), 'utf8')

test('the morning digest', async (t) => {
  const { workspace, example, service } = await setUpExamples(t)

  await t.test('prints what its README shows', async () => {
    const { env } = await workspace('shown', 'Europe/London', [
      { id: 'fair', title: 'Book the Köln fair', dueAt: '2026-11-13T23:59:59.000Z', assigneeName: 'Priya Raman' },
      { id: 'samples', title: 'Send the samples', dueAt: '2026-11-16T23:59:59.000Z' },
      { id: 'linen', title: 'Confirm the linen order', dueAt: '2026-11-16T17:00:00.000Z' },
      { id: 'tomorrow', title: 'Call Oslo', dueAt: '2026-11-17T00:00:00.000Z' },
      ...['a', 'b', 'c'].map((id) => ({ id })),
    ])
    const printed = await example(['digest.mjs', '2026-11-16T07:00:00Z'], env)
    assert.ok(readme.includes(`\`\`\`\n${printed}\`\`\``), printed)
  })

  for (const [n, [day, { timezone, now, tasks, printed }]] of Object.entries(days).entries())
    await t.test(`tells today from tomorrow: ${day}`, async () => {
      const { env } = await workspace(`day-${n}`, timezone, dueAt(...tasks))
      assert.equal(await example(['digest.mjs', now], env), printed)
    })

  await t.test('obeys nothing in a title, and says when there may be more', async () => {
    const tasks = Array.from({ length: 101 }, (_, n) => ({
      id: `${n}`,
      title: `Clear\u001b[2J the\nscreen`,
      dueAt: '2026-11-14T10:00:00.000Z',
    }))
    const { env } = await workspace('full', 'UTC', tasks)
    const printed = await example(['digest.mjs', '2026-11-16T07:00:00Z'], env)
    assert.match(printed, /\n- Clear \[2J the screen, due 2026-11-14 10:00\n/)
    assert.match(printed, /\nThese are the first 100 tasks; there may be more\.\n$/)
  })

  await t.test('says in one line what is wrong', async () => {
    const failing = example(['digest.mjs'], { VITRINE_URL: service.url, VITRINE_KEY: 'vtr_x' })
    await assert.rejects(failing, /\n401 unauthorized: The workspace key is not valid\. [^\n]+\n$/)
  })
})
