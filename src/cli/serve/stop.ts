import { Server as NetServer } from 'node:net'
import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises'
import type { HttpServer } from '../../http/server.ts'
import { ExitCode } from '../errors.ts'
import { printMessage } from '../terminal/output.ts'

const STOP_TIMEOUT_MS = 10_000
const IDLE_GRACE_MS = 500
/** Always reserved for writing the last records, even if requests took all the time. */
const MIN_WRITE_MS = 1000

/** One Ctrl+C may arrive twice: from the terminal, and from a program such as npm that forwards it. */
const DUPLICATE_SIGNAL_MS = 100

/** Resolves with the first signal; a second one ends the program immediately. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT'])
      process.on(signal, () => {
        if (firstAtMs === undefined) {
          firstAtMs = performance.now()
          resolve(signal)
        } else if (signal === 'SIGTERM' || performance.now() - firstAtMs > DUPLICATE_SIGNAL_MS) {
          printMessage(`vitrine: stopped immediately by a second signal (${signal}); requests in flight were cut off`)
          process.exit(ExitCode.failure)
        }
      })
  })
}

/**
 * Load balancers get `drainSeconds` to notice the stop. The next request of an idle connection may already be on its way,
 * so the connection is closed only after a short delay. Returns the milliseconds left for writing the last records.
 */
export async function stop(server: HttpServer, drainSeconds: number): Promise<number> {
  server.announceStop()
  await delay(drainSeconds * 1000)
  const startedAt = performance.now()
  // server.close() would close idle connections immediately.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
  // If the process was paused, timers run before requests that have arrived are read, and immediates after.
  const sweep = setInterval(() => setImmediate(closeIdle, server), IDLE_GRACE_MS)
  const deadline = setTimeout(() => {
    for (const socket of server.openConnections.sockets) socket.destroy()
  }, STOP_TIMEOUT_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
  // The server closes just before its last connection, whose request is logged a tick later.
  while (server.openConnections.size > 0) await nextTick()
  await nextTick()
  return Math.max(MIN_WRITE_MS, STOP_TIMEOUT_MS - (performance.now() - startedAt))
}

/** Node counts a connection as idle while its response is still being sent, so none is closed before all have been sent. */
function closeIdle(server: HttpServer): void {
  if (server.openConnections.areIdle) server.closeIdleConnections()
}
