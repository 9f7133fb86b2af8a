import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { projectWithClient } from './compiled-client.ts'
import { snippets, snippetTask } from './readme.ts'
import { hangUp, respond, silence, startScriptedServer } from './scripted-server.ts'
import { oldestNode, run, runtimes, skipWithoutTool } from './tools.ts'

test('every runtime reads with the compiled client', async (t) => {
  const project = await projectWithClient(t)
  const service = await startService(t)
  await service.addTasks([snippetTask])
  const elsewhere = await startScriptedServer(t, silence)
  const redirecting = await startScriptedServer(t, respond(307, { location: `${elsewhere.url}/tasks` }))
  const env = {
    VITRINE_URL: service.url,
    VITRINE_KEY: service.key,
    REDIRECTING_URL: redirecting.url,
    HANGING_UP_URL: (await startScriptedServer(t, hangUp)).url,
    SILENT_URL: (await startScriptedServer(t, silence)).url,
  }

  cpSync(join(import.meta.dirname, 'runtime-check.mjs'), join(project, 'runtime-check.mjs'))
  for (const [name, [program, ...args]] of Object.entries(runtimes))
    await t.test(
      `${name} reuses ETags, reports every kind of failure and never prints the key`,
      {
        ...skipWithoutTool(program),
      },
      async () => {
        const { stdout, stderr } = await run([program, ...args, 'runtime-check.mjs'], { cwd: project, env })
        const { remaining, ...seen } = JSON.parse(stdout)
        assert.ok(remaining < 600)
        assert.deepEqual(seen, {
          workspace: 'acme',
          titles: ['Confirm the linen order'],
          sameObject: true,
          problem: ['VitrineProblem', 'unauthorized'],
          redirect: ['VitrineResponseError', 307],
          hangUp: ['VitrineNetworkError', false],
          timeout: ['VitrineNetworkError', true],
          abort: ['Error', 'enough'],
        })
        assert.ok(!stderr.includes(service.key), 'the key was printed')
      },
    )
  assert.equal(elsewhere.requests.length, 0)

  for (const [n, { code, prints }] of snippets.entries())
    await t.test(`snippet ${n + 1} of the README runs`, async () => {
      writeFileSync(join(project, 'snippet.mjs'), code)
      const { stdout } = await run([oldestNode(), 'snippet.mjs'], { cwd: project, env })
      assert.match(stdout, prints)
    })
})
