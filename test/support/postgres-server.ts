import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './listen.ts'
import { account, copyData, createInstallation, sharedInstallation } from './postgres-installation.ts'
import { quickestFolder } from './temporary-folder.ts'
import { waitUntil } from './wait.ts'

export interface PostgresServer {
  url: string
  /** Ends the server process as a crash would. */
  kill(): Promise<void>
  /** Stops it as an operator would: `fast` ends the sessions. */
  stop(): Promise<void>
  start(): Promise<void>
  /** What the server logged from its first crash on, if there was one. */
  crashLog(): string | undefined
  /** Stops it and removes its files. */
  remove(): Promise<void>
}

/** For a server of many small databases that live for a test each. */
export const MANY_DATABASES = {
  // It would start a process for one of them every tenth of a second.
  autovacuum: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** A real server of its own, in a temporary folder, on a private port, durable only as long as it runs. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const home = mkdtempSync(join(quickestFolder(), 'vitrine-postgres-'))
  chmodSync(home, 0o755)
  const installed = sharedInstallation() ?? (await createInstallation(join(home, 'installation')))
  const data = join(home, 'data')
  copyData(installed.data, data)
  return runServer(home, data, installed.postgres, settings)
}

async function runServer(
  home: string,
  data: string,
  postgres: string,
  settings: Record<string, string>,
): Promise<PostgresServer> {
  const as = account()
  let port = await freePort()
  const urlOf = () => `postgres://postgres@127.0.0.1:${port}/postgres`
  const options = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    fsync: 'off',
    // Errors of statements reach the tests, and each new database is a checkpoint.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    ...settings,
  }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = `${data}.log`
  let server: ChildProcess | undefined

  async function start() {
    const stderr = openSync(log, 'a')
    server = spawn(postgres, ['-D', data, '-c', `port=${port}`, ...flags], {
      ...as,
      stdio: ['ignore', 'ignore', stderr],
    })
    closeSync(stderr)
    await waitUntil(
      async () => {
        if (server?.exitCode !== null) throw new Error('PostgreSQL did not start')
        return responses(urlOf())
      },
      { message: 'PostgreSQL did not start', everyMs: 50 },
    )
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
    kill: () => end('SIGQUIT'),
    crashLog: () => /^.*(terminated by signal|PANIC:)[\s\S]{0,5000}/m.exec(readFileSync(log, 'utf8'))?.[0],
    async remove() {
      await end('SIGINT')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Does something over a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  // A running query still rejects; without a listener the process would end too.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export async function responses(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
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
