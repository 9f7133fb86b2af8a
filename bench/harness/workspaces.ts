import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { Keys } from '../../src/keys/life-cycle.ts'
import { permissionsOf, type Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { createWorkspace } from '../../test/support/changes.ts'
import { addTasks } from '../../test/support/written-lists.ts'
import { taskFixture } from './fixture.ts'
import { QUOTA } from './vitrine.ts'

/** Many workspaces, each with the fixture's tasks and a key, within this process: the command line would take minutes. */
export async function createWorkspaces(
  databaseUrl: string,
  slugs: readonly string[],
  all: readonly Resource[] = resources,
) {
  const newKey = { permissions: permissionsOf(all), quota: QUOTA, expiresAt: null }
  const created: { id: string; key: string }[] = []
  const waiting = slugs.entries()
  async function create(): Promise<void> {
    const store = await openOperatorStore(parseDatabaseUrl(databaseUrl), all, { create: true })
    for (const [i, slug] of waiting) {
      const now = new Date().toISOString()
      const { id } = await createWorkspace(store, { name: slug, slug }, 'bench', now)
      await addTasks(store, id, taskFixture, now)
      const { token } = await store.transaction((tx) => new Keys(tx, 'bench').create(slug, { ...newKey, label: slug }))
      created[i] = { id, key: token }
    }
    await store.close()
  }
  // SQLite has one writer.
  await Promise.all(Array.from({ length: databaseUrl.startsWith('sqlite:') ? 1 : 4 }, create))
  return created
}
