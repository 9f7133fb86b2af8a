import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toBytes } from '../load/load.ts'
import { isJson, isRecord } from './checks.ts'
import { exchange } from './exchange.ts'
import { taskFixture, workspaceFixture } from './fixture.ts'
import { writeData } from './peers.ts'
import type { Server, ServerProgram } from './server.ts'
import type { Testbed } from './testbed.ts'

export const PROGRAM = join(import.meta.dirname, '../../bin/vitrine')
const COMMAND_TIMEOUT_MS = 60_000

/** Counted on every request, and never reached. */
export const QUOTA = { limit: 1e9, windowSeconds: 60 }
export const RATE_LIMIT = `${QUOTA.limit};w=${QUOTA.windowSeconds}`

export interface Vitrine {
  databaseUrl: string
  program: ServerProgram
  /** Runs the operator's command line; gives what it printed. */
  runCommand(...args: string[]): Promise<string>
  /** Creates a workspace with the tasks of the fixture, and a key of it. */
  addWorkspace(slug: string): Promise<string>
  /** Creates another key of a workspace; `options` are those of `key create`. */
  addKey(slug: string, ...options: string[]): Promise<string>
}

/** Vitrine as its operator runs it: the real command line, the real `serve`, default settings. */
export function prepareVitrine(
  folder: string,
  databaseUrl = `sqlite:${join(folder, 'vitrine.db')}`,
  program = PROGRAM,
  settings: Record<string, string> = {},
): Vitrine {
  const env = { ...settings, DATABASE_URL: databaseUrl }
  const tasksFile = join(folder, 'tasks.ndjson')
  writeFileSync(tasksFile, taskFixture.map((task) => `${JSON.stringify(task)}\n`).join(''))
  const { PATH = '', HOME = '' } = process.env

  async function runCommand(...args: string[]): Promise<string> {
    const options = { env: { PATH, HOME, ...env }, cwd: folder, timeout: COMMAND_TIMEOUT_MS }
    return (await promisify(execFile)(program, args, options)).stdout.trim()
  }

  const addKey = (slug: string, ...options: string[]) =>
    runCommand('key', 'create', '--workspace', slug, '--label', 'bench', '--rate-limit', RATE_LIMIT, ...options)

  const { name, timezone, currencyCode, countryCode } = workspaceFixture
  const details = ['--name', name, '--timezone', timezone, '--currency', currencyCode, '--country', countryCode]
  return {
    databaseUrl,
    program: {
      name: 'vitrine',
      command: [program, 'serve'],
      env,
      probe: toBytes({ method: 'GET', path: '/healthz' }),
    },
    runCommand,
    async addWorkspace(slug) {
      await runCommand('workspace', 'create', '--slug', slug, ...details)
      await runCommand('task', 'import', '--workspace', slug, tasksFile)
      return addKey(slug)
    },
    addKey,
  }
}

export const getWithKey = (key: string, path: string, headers: Record<string, string> = {}): Buffer =>
  toBytes({ method: 'GET', path, headers: { authorization: `Bearer ${key}`, accept: 'application/json', ...headers } })

/** Vitrine serving the fixture, its responses found right, and the same data as a file for the peers. */
interface ServedFixture {
  vitrine: Server
  program: ServerProgram
  databaseUrl: string
  key: string
  dataFile: string
  tasks: { tasks: typeof taskFixture }
  workspace: unknown
}

export async function serveFixture(testbed: Testbed, databaseUrl?: string): Promise<ServedFixture> {
  const prepared = prepareVitrine(testbed.folder, databaseUrl)
  const key = await prepared.addWorkspace(workspaceFixture.slug)
  const program = { ...prepared.program, probe: getWithKey(key, '/tasks') }
  const vitrine = await testbed.require(program)
  const tasks = { tasks: taskFixture }
  const shownTasks = await exchange(vitrine.port, getWithKey(key, '/tasks'))
  const shown = JSON.parse((await exchange(vitrine.port, getWithKey(key, '/workspace'))).body.toString())
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
    dataFile: writeData(testbed.folder, shown.workspace),
  }
}
