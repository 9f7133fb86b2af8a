import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { projectWithClient } from './compiled-client.ts'
import { snippets, snippetTask } from './readme.ts'
import { testRuntime } from './runtime.ts'
import { oldestNode, root, run } from './tools.ts'

const examplesReadme = readFileSync(join(root, 'examples/README.md'), 'utf8')

test('programs that use the compiled client', async (t) => {
  const project = await projectWithClient(t)
  const service = await startService(t)
  await service.addTasks([snippetTask])
  const env = { VITRINE_URL: service.url, VITRINE_KEY: service.key }

  for (const name of ['Node.js 20', 'Deno', 'Bun'] as const) await testRuntime(t, name, project, env)

  for (const [n, { code, prints }] of snippets.entries())
    await t.test(`snippet ${n + 1} of the README runs`, async () => {
      writeFileSync(join(project, 'snippet.mjs'), code)
      const { stdout } = await run([oldestNode(), 'snippet.mjs'], { cwd: project, env })
      assert.match(stdout, prints)
    })

  cpSync(join(root, 'examples'), project, { recursive: true, filter: (path) => !path.includes('node_modules') })
  await t.test('the digest prints what its README shows, and reports an error in one line', async () => {
    const digest = [oldestNode(), 'digest.mjs', '2026-11-16T07:00:00Z'] as const
    const unknownKey = { ...env, VITRINE_KEY: 'vtr_x' }
    const unauthorized = /\n401 unauthorized: The workspace key is not valid\. [^\n]+\n$/
    await assert.rejects(run(digest, { cwd: project, env: unknownKey }), unauthorized)

    await service.addTasks([
      { id: 'fair', title: 'Book the Köln fair', dueAt: '2026-11-13T23:59:59.000Z', assigneeName: 'Priya Raman' },
      { id: 'samples', title: 'Send the samples', dueAt: '2026-11-16T23:59:59.000Z' },
      { id: 'tomorrow', title: 'Call Oslo', dueAt: '2026-11-17T00:00:00.000Z' },
      ...['a', 'b', 'c'].map((id) => ({ id })),
    ])
    const { stdout } = await run(digest, { cwd: project, env })
    assert.ok(examplesReadme.includes(`\`\`\`\n${stdout}\`\`\``), stdout)
  })

  await t.test('the changes are printed as the README shows', async (t) => {
    const changing = await startService(t)
    const fair = { id: 'fair', title: 'Book the Köln fair' }
    await changing.addTasks([
      fair,
      { ...snippetTask, assigneeName: 'Priya Raman' },
      { id: 'b', title: 'Send the samples' },
    ])
    await changing.addTasks([{ ...fair, status: 'completed' }])
    const server = { VITRINE_URL: changing.url, VITRINE_KEY: changing.key }
    const { stdout } = await run([oldestNode(), 'changes.mjs', '2026-11-14'], { cwd: project, env: server })
    assert.ok(examplesReadme.includes(`\`\`\`\n${stdout}\`\`\``), stdout)
    const tooLong = run([oldestNode(), 'changes.mjs', '2026-01-01'], { cwd: project, env: server })
    await assert.rejects(tooLong, /changedSince is older than the recorded changes/)
  })
})
