import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installedProgram, skipWithout } from '../../support/installed-program.ts'
import { freePort } from '../../support/listen.ts'
import { account } from '../../support/postgres-installation.ts'
import { responses } from '../../support/postgres-server.ts'
import { waitUntil } from '../../support/wait.ts'

const PROGRAM = installedProgram('pgbouncer') ?? 'pgbouncer'

/** Explains why a test cannot run. */
export const skipWithoutPgBouncer = () => skipWithout('pgbouncer')

export interface PgBouncer {
  /** The URL of a database of the server behind it, through it. */
  url: string
  pid: number
  remove(): Promise<void>
}

/** A real PgBouncer in transaction mode in front of a PostgreSQL server, otherwise with its defaults. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const as = account()
  const home = mkdtempSync(join(tmpdir(), 'vitrine-pgbouncer-'))
  chmodSync(home, 0o755)
  if (as !== undefined) chownSync(home, as.uid, as.gid)
  const behind = new URL(databaseUrl)
  const through = new URL(databaseUrl)
  through.port = String(await freePort())
  const options = {
    listen_addr: '127.0.0.1',
    listen_port: through.port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: '5',
    max_client_conn: '500',
  }
  const lines = Object.entries(options).map(([name, value]) => `${name} = ${value}`)
  const file = join(home, 'pgbouncer.ini')
  const target = `host=${behind.hostname} port=${behind.port} user=${behind.username}`
  writeFileSync(file, ['[databases]', `* = ${target}`, '[pgbouncer]', ...lines, ''].join('\n'))

  const bouncer = spawn(PROGRAM, ['-q', file], { ...as, stdio: 'ignore' })
  const killNow = () => bouncer.kill('SIGKILL')
  process.once('exit', killNow)
  await waitUntil(
    async () => {
      if (bouncer.exitCode !== null) throw new Error('PgBouncer ended')
      return responses(through.href)
    },
    { message: 'PgBouncer did not start', everyMs: 50 },
  )
  return {
    url: through.href,
    pid: bouncer.pid ?? 0,
    async remove() {
      process.off('exit', killNow)
      const exited = once(bouncer, 'exit')
      killNow()
      await exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}
