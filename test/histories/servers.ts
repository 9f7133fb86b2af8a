import type { TestContext } from 'node:test'
import { type CutProxy, startCutProxy } from '../support/cut-proxy.ts'
import { program, type Running } from '../support/program.ts'

/** A server that clients talk to and that is disturbed. */
export interface Server {
  /** Undefined while there is none. */
  url: string | undefined
  signal(signal: NodeJS.Signals): void
  /** Ends it as a crash would, and starts another. */
  restart(): Promise<void>
}

export interface Replica extends Server {
  network: CutProxy
}

/** A replica whose way to the database leads through a proxy of its own. */
export async function startReplica(t: TestContext, databaseUrl: string): Promise<Replica> {
  const network = await startCutProxy(Number(new URL(databaseUrl).port))
  t.after(() => network.close())
  const through = new URL(databaseUrl)
  through.port = String(network.port)
  return Object.assign(await startServer(t, through.href), { network })
}

export async function startServer(t: TestContext, databaseUrl: string): Promise<Server> {
  const vitrine = program(t, { DATABASE_URL: databaseUrl, LOG_LEVEL: 'error', RATE_LIMIT: '1000000000;w=60' })
  let isOver = false
  t.after(() => {
    isOver = true
  })
  let running: Running = await vitrine.start('serve')
  const server: Server = {
    url: running.url,
    signal: (signal) => void running.child.kill(signal),
    async restart() {
      server.url = undefined
      await running.stop('SIGKILL')
      // Its database may be unavailable: then it exits, and is started again, as by any supervisor.
      while (!isOver && server.url === undefined)
        await vitrine.start('serve').then(
          (started) => {
            running = started
            server.url = started.url
          },
          () => {},
        )
    },
  }
  return server
}
