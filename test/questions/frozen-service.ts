import type { TestContext } from 'node:test'
import { DAY_MS } from '../../src/lib/duration.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { atTime } from '../support/at-time.ts'
import { createWorkspace } from '../support/changes.ts'
import { startService } from '../support/service.ts'
import type { Server } from '../support/tool-calls.ts'
import { addTasks } from '../support/written-lists.ts'
import { type ScenarioName, scenarios, World } from './world.ts'

interface FrozenService extends Server {
  world: World
}

/** The real service on a real socket, with the scenario's workspace and clock. */
export async function startFrozenService(t: Pick<TestContext, 'after'>, name: ScenarioName): Promise<FrozenService> {
  const world = new World(scenarios[name])
  // The window of the quota does not move either.
  const service = await startService(t as TestContext, { env: { RATE_LIMIT: '1000000;w=60' } })
  service.time.now = world.now
  const { operator, keys, url } = service
  const now = new Date(world.now).toISOString()
  const defaults = { timezone: world.zone, currency: world.currency, country: 'PT' }
  const workspace = { name: 'Northwind Buying', slug: 'northwind', ...defaults }
  const longAgo = atTime(operator, () => world.now - 30 * DAY_MS)
  const { id: workspaceId } = await createWorkspace(longAgo, workspace, 'test', now)
  for (const { at, tasks } of world.writes) await addTasks(operator, workspaceId, tasks, at)
  const newKey = { label: 'Questions', permissions: permissionsOf(resources), quota: null, expiresAt: null }
  const { token: key } = await keys.create(workspace.slug, newKey)
  return { url, key, world }
}

/** Starts it outside of a test, until `use` is done. */
export async function withFrozenService<T>(name: ScenarioName, use: (frozen: FrozenService) => Promise<T>): Promise<T> {
  const closing: (() => unknown)[] = []
  const after = ((close: () => unknown) => closing.push(close)) as TestContext['after']
  try {
    return await use(await startFrozenService({ after }, name))
  } finally {
    for (const close of closing) await close()
  }
}
