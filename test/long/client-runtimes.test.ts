import { test } from 'node:test'
import { projectWithClient } from '../client/compiled-client.ts'
import { snippetTask } from '../client/readme.ts'
import { testRuntime } from '../client/runtime.ts'
import { startService } from '../support/service.ts'

test('the client in the other runtimes', async (t) => {
  const project = await projectWithClient(t)
  const service = await startService(t)
  await service.addTasks([snippetTask])
  const env = { VITRINE_URL: service.url, VITRINE_KEY: service.key }
  for (const name of ['Deno', 'Bun'] as const) await testRuntime(t, name, project, env)
})
