import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type CutProxy, startCutProxy } from '../support/cut-proxy.ts'
import type { Program, Running } from '../support/program.ts'

/** A server that clients talk to and that is disturbed: a replica, or the program. */
export interface Server {
  /** Undefined while there is none. */
  url: string | undefined
  signal(signal: NodeJS.Signals): void
  /** Ends it as a crash would, and starts another. */
  restart(): Promise<void>
}

export interface Replica extends Server {
  network: CutProxy
  setClock(offsetMs: number): void
}

/** A replica whose way to the database leads through a proxy of its own. */
export async function startReplica(t: TestContext, databaseUrl: string, fault = ''): Promise<Replica> {
  const network = await startCutProxy(Number(new URL(databaseUrl).port))
  const through = new URL(databaseUrl)
  through.port = String(network.port)
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  const settings = { DATABASE_URL: through.href, FAULT: fault, RATE_LIMIT: '1000000000;w=60' }
  let child: ChildProcess
  async function start() {
    child = fork(join(import.meta.dirname, 'replica-main.ts'), {
      env: { PATH, ...settings, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const exit = once(child, 'exit')
    // Its database may be unavailable at startup: then it exits, and is restarted, as by any supervisor.
    const port = await Promise.race([
      once(child, 'message').then(([first]) => first as number),
      exit.then(() => undefined),
    ])
    replica.url = port === undefined ? undefined : `http://127.0.0.1:${port}`
  }
  const replica: Replica = {
    url: undefined,
    network,
    signal: (signal) => void child.kill(signal),
    setClock: (clockMs) => {
      if (child.connected) child.send({ clockMs }, () => {})
    },
    async restart() {
      replica.url = undefined
      const exit = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await exit
      await startUntilItListens()
    },
  }
  let isOver = false
  const startUntilItListens = async () => {
    while (!isOver && replica.url === undefined) await start()
  }
  t.after(() => {
    isOver = true
    child.kill('SIGKILL')
    network.close()
  })
  await startUntilItListens()
  return replica
}

/** The operator's own program. */
export async function startProgram(vitrine: Program): Promise<Server> {
  let running: Running = await vitrine.start('serve')
  const server: Server = {
    url: running.url,
    signal: (signal) => void running.child.kill(signal),
    async restart() {
      server.url = undefined
      await running.stop('SIGKILL')
      running = await vitrine.start('serve')
      server.url = running.url
    },
  }
  return server
}
