import type { TestContext } from 'node:test'
import type { Quota } from '../../src/lib/rate-windows.ts'
import { permissionsOf, type Resource } from '../../src/resources/define.ts'
import { resources as published } from '../../src/resources/index.ts'
import type { TaskRow } from '../../src/resources/tasks/columns.ts'
import { createWorkspace } from './changes.ts'
import { keysIn } from './listed-keys.ts'
import { openStore } from './stores.ts'
import { addTasks } from './tasks.ts'

/** An operator at work on a database with one workspace, `acme`. */
export async function startOperator(t: TestContext, databaseUrl: string, resources: readonly Resource[] = published) {
  const store = await openStore(t, databaseUrl, resources)
  const workspace = await createWorkspace(store, { name: 'Acme', slug: 'acme' }, 'test', new Date().toISOString())
  const keys = keysIn(store)
  return {
    store,
    workspace,
    keys,
    async createKey(quota: Quota | null = null) {
      const newKey = { label: 'x', permissions: permissionsOf(resources), quota, expiresAt: null }
      const { token, key } = await keys.create('acme', newKey)
      return { token, id: key.id }
    },
    addTasks: (tasks: (Partial<TaskRow> & { id: string })[]) =>
      addTasks(store, workspace.id, tasks, new Date().toISOString()),
  }
}
