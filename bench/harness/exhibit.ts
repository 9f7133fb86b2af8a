import { toBytes } from '../load.ts'
import { isJson, isRecord } from './checks.ts'
import { exchange } from './exchange.ts'
import { taskFixture, workspaceFixture } from './fixture.ts'
import { writeData } from './peers.ts'
import type { Server, ServerProgram } from './server.ts'
import type { Stage } from './stage.ts'
import { prepareVitrine } from './vitrine.ts'

/** Vitrine serving the fixture, its answers found right, and the same data as a file for the peers. */
export interface Exhibit {
  vitrine: Server
  program: ServerProgram
  databaseUrl: string
  key: string
  dataFile: string
  tasks: { tasks: typeof taskFixture }
  workspace: unknown
}

export const asKeyHolder = (key: string, path: string, headers: Record<string, string> = {}): Buffer =>
  toBytes({ method: 'GET', path, headers: { authorization: `Bearer ${key}`, accept: 'application/json', ...headers } })

export async function openExhibit(stage: Stage, databaseUrl?: string): Promise<Exhibit> {
  const prepared = prepareVitrine(stage.folder, databaseUrl)
  const key = await prepared.addWorkspace(workspaceFixture.slug)
  const program = { ...prepared.program, probe: asKeyHolder(key, '/tasks') }
  const vitrine = await stage.require(program)
  const tasks = { tasks: taskFixture }
  const shownTasks = await exchange(vitrine.port, asKeyHolder(key, '/tasks'))
  const shown = JSON.parse((await exchange(vitrine.port, asKeyHolder(key, '/workspace'))).body.toString())
  const { id, ...rest } = isRecord(shown.workspace) ? shown.workspace : {}
  const fault =
    isJson(tasks)(shownTasks) ??
    (typeof id === 'string' && JSON.stringify(rest) === JSON.stringify(workspaceFixture)
      ? undefined
      : 'its workspace is not the one it was given')
  if (fault !== undefined) throw new Error(`Vitrine itself answers wrongly: ${fault}`)
  return {
    vitrine,
    program,
    databaseUrl: prepared.databaseUrl,
    key,
    tasks,
    workspace: shown,
    dataFile: writeData(stage.folder, shown.workspace),
  }
}
