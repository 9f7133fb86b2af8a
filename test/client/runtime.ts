import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { hangUp, respond, silence, startScriptedServer } from './scripted-server.ts'
import { run, runtimes, skipWithoutTool } from './tools.ts'

/** Runs runtime-check.mjs by one of the runtimes, in a project that has the client. */
export async function testRuntime(
  t: TestContext,
  name: keyof typeof runtimes,
  project: string,
  server: { VITRINE_URL: string; VITRINE_KEY: string },
): Promise<void> {
  const [program, ...args] = runtimes[name]
  const title = `${name} reuses ETags, reports every kind of failure and never prints the key`
  await t.test(title, { ...skipWithoutTool(program) }, async (t) => {
    cpSync(join(import.meta.dirname, 'runtime-check.mjs'), join(project, 'runtime-check.mjs'))
    const elsewhere = await startScriptedServer(t, silence)
    const redirecting = await startScriptedServer(t, respond(307, { location: `${elsewhere.url}/tasks` }))
    const env = {
      ...server,
      REDIRECTING_URL: redirecting.url,
      HANGING_UP_URL: (await startScriptedServer(t, hangUp)).url,
      SILENT_URL: (await startScriptedServer(t, silence)).url,
    }
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
    assert.ok(!stderr.includes(server.VITRINE_KEY), 'the key was printed')
    assert.equal(elsewhere.requests.length, 0, 'a redirect was followed')
  })
}
