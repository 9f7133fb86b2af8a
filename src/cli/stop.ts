import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { isAnswering } from '../http/served-socket.ts'
import { connectionsOf } from '../http/server.ts'
import { ExitCode } from './errors.ts'
import { printMessage } from './output.ts'

export const PATIENCE_MS = 10_000
const IDLE_GRACE_MS = 500
/** Also when the requests took all of the time. */
const LAST_WRITE_MS = 1000

/** One Ctrl+C may arrive twice: from the terminal, and from a program such as npm that passes it on. */
const SAME_CTRL_C_MS = 100

/** Resolves with the first signal to stop; a second one ends the program at once. */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined
    for (const signal of ['SIGTERM', 'SIGINT'])
      process.on(signal, () => {
        if (firstAtMs === undefined) {
          firstAtMs = performance.now()
          resolve(signal)
        } else if (signal === 'SIGTERM' || performance.now() - firstAtMs > SAME_CTRL_C_MS) endAtOnce(signal)
      })
  })
}

function endAtOnce(signal: string): never {
  printMessage(`vitrine: ended at once by a second signal (${signal}); requests in flight were cut off`)
  process.exit(ExitCode.failure)
}

/**
 * Takes no new connections, lets requests in flight finish, and waits no longer than is reasonable. A connection that
 * looks idle may have its next request on the way, so idle ones are given a moment before they are closed. Gives the time
 * that is left for the last records to be written.
 */
export async function stop(server: Server, listeners: readonly Listener[]): Promise<number> {
  const startedAt = performance.now()
  // Each is closed when its last connection is. Not server.close(), which closes idle connections at once.
  const closed = Promise.all(
    listeners.map((listener) => new Promise((resolve) => Listener.prototype.close.call(listener, resolve))),
  )
  const sweep = setInterval(() => closeIdle(server), IDLE_GRACE_MS)
  const deadline = setTimeout(() => {
    for (const socket of connectionsOf(server)) socket.destroy()
  }, PATIENCE_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
  return Math.max(LAST_WRITE_MS, PATIENCE_MS - (performance.now() - startedAt))
}

/** Node knows which connections are between two requests, but takes an answer for sent as soon as all of it was written. */
function closeIdle(server: Server): void {
  const answering = [...connectionsOf(server)].filter(isAnswering)
  for (const socket of answering) socket.destroy = () => socket
  server.closeIdleConnections()
  for (const socket of answering) Reflect.deleteProperty(socket, 'destroy')
}
