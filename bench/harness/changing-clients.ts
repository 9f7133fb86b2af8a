import type { DatabaseSync } from 'node:sqlite'
import { rowChanger } from '../growth/databases.ts'
import type { ChangingClient } from '../load/changing-load.ts'
import { isJson } from './checks.ts'
import { exchange } from './exchange.ts'
import { taskFixture } from './fixture.ts'
import type { Server } from './server.ts'
import { getWithKey } from './vitrine.ts'

interface WorkspaceClient extends ChangingClient {
  bodyNow(): unknown
}

/** One for each workspace. Every change gives the first row of its list a new title. `name` is a list with the fixture's rows. */
export function changingClients(
  workspaces: readonly { id: string; key: string }[],
  database: DatabaseSync,
  name = 'tasks',
): WorkspaceClient[] {
  const retitle = rowChanger(database, name, 'title')
  const [first, ...others] = taskFixture
  if (first === undefined) throw new Error('the fixture has no task to change')
  return workspaces.map(({ id, key }) => {
    let title = first.title
    let changes = 0
    return {
      request: getWithKey(key, `/${name}`),
      change() {
        // Always as long as before, so that responses keep their length.
        title = first.title.replace(/\d+/, (digits) => String(++changes).padStart(digits.length, '0'))
        retitle(id, first.id, title)
        return Buffer.from(JSON.stringify(title))
      },
      bodyNow: () => ({ [name]: [{ ...first, title }, ...others] }),
    }
  })
}

export async function checkLastResponses({ port }: Server, clients: readonly WorkspaceClient[]): Promise<void> {
  for (const { request, bodyNow } of clients) {
    const fault = isJson(bodyNow())(await exchange(port, request))
    if (fault !== undefined) throw new Error(`Vitrine answers wrongly: ${fault}`)
  }
}
