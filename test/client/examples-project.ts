import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createWorkspace } from '../../src/resources/workspace/workspaces.ts'
import { type Service, startService } from '../support/service.ts'
import { addTasks } from '../support/tasks.ts'
import { projectWithClient } from './compiled-client.ts'
import { oldestNode, root, run } from './tools.ts'

type Tasks = Parameters<typeof addTasks>[2]

export interface Examples {
  service: Service
  folder: string
  /** A workspace in this timezone with these tasks; `env` is the environment of an example that reads it. */
  workspace(
    slug: string,
    timezone: string | undefined,
    tasks: Tasks,
  ): Promise<{ env: Record<string, string>; add(tasks: Tasks): Promise<void> }>
  /** Runs an example to its end, on the oldest Node.js that it promises to run on. */
  example(args: string[], env: Record<string, string>): Promise<string>
}

/** The examples in a project that has the client, as their README sets it up, and a service with workspaces to read. */
export async function setUpExamples(t: TestContext): Promise<Examples> {
  const folder = await projectWithClient(t)
  cpSync(join(root, 'examples'), folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
  const service = await startService(t)
  const { operator, keys, url } = service
  return {
    service,
    folder,
    async workspace(slug, timezone, tasks) {
      const now = '2026-11-15T12:00:00.000Z'
      const wanted = { name: 'Acme Buying', slug, ...(timezone !== undefined && { timezone }) }
      const { id } = await createWorkspace(operator, wanted, 'test', now)
      const add = (more: Tasks) => addTasks(operator, id, more, now)
      await add(tasks)
      const permissions = ['workspace:read', 'tasks:read']
      const { token } = await keys.create(slug, { label: 'example', permissions, quota: null, expiresAt: null })
      return { env: { VITRINE_URL: url, VITRINE_KEY: token }, add }
    },
    example: async ([file = '', ...args], env) =>
      (await run([oldestNode(), file, ...args], { cwd: folder, env })).stdout,
  }
}

/** Tasks with these due times, titled by them, in this order of creation. */
export const dueAt = (...instants: string[]): Tasks =>
  instants.map((instant, n) => ({ id: `task_${n}`, title: instant, dueAt: new Date(instant).toISOString() }))
