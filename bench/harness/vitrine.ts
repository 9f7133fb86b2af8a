import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toBytes } from '../load.ts'
import { taskFixture, workspaceFixture } from './fixture.ts'
import type { ServerProgram } from './server.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const COMMAND_TIMEOUT_MS = 60_000

/** Counted on every request, and never reached. */
const QUOTA = '1000000000;w=60'

export interface Vitrine {
  databaseUrl: string
  program: ServerProgram
  /** Runs the operator's command line; gives what it printed. */
  operate(...args: string[]): Promise<string>
  /** Makes a workspace with the tasks of the fixture, and a key of it. */
  addWorkspace(slug: string): Promise<string>
  /** Makes another key of a workspace. */
  addKey(slug: string): Promise<string>
}

/** Vitrine as its operator runs it: the real command line, the real `serve`, default settings. */
export function prepareVitrine(
  folder: string,
  databaseUrl = `sqlite:${join(folder, 'vitrine.db')}`,
  checkout = CHECKOUT,
): Vitrine {
  mkdirSync(folder, { recursive: true })
  const launcher = join(checkout, 'bin/vitrine')
  const env = { DATABASE_URL: databaseUrl }
  const tasksFile = join(folder, 'tasks.ndjson')
  writeFileSync(tasksFile, taskFixture.map((task) => `${JSON.stringify(task)}\n`).join(''))
  const { PATH = '', HOME = '' } = process.env

  async function operate(...args: string[]): Promise<string> {
    const options = { env: { PATH, HOME, ...env }, cwd: folder, timeout: COMMAND_TIMEOUT_MS }
    return (await promisify(execFile)(launcher, args, options)).stdout.trim()
  }

  const addKey = (slug: string) =>
    operate('key', 'create', '--workspace', slug, '--label', 'bench', '--rate-limit', QUOTA)

  const { name, timezone, currencyCode, countryCode } = workspaceFixture
  const details = ['--name', name, '--timezone', timezone, '--currency', currencyCode, '--country', countryCode]
  return {
    databaseUrl,
    program: {
      name: 'vitrine',
      command: [launcher, 'serve'],
      env,
      probe: toBytes({ method: 'GET', path: '/healthz' }),
    },
    operate,
    async addWorkspace(slug) {
      await operate('workspace', 'create', '--slug', slug, ...details)
      await operate('task', 'import', '--workspace', slug, tasksFile)
      return addKey(slug)
    },
    addKey,
  }
}
