import { connect } from 'node:net'
import { ResponseReader } from './response-reader.ts'

/** How long responses may be missing after the end before the server counts as hung. */
const GRACE_MS = 5000

/** One for all connections: what is in it is looked at before the next read. */
const received = Buffer.alloc(64 * 1024)

export interface Connection {
  send(request: Buffer): void
  end(): void
}

/** Drives one connection, with one request on it at a time. What it throws ends the run. */
export interface Client {
  begin(connection: Connection): void
  /** The first `count` bytes, which the next read overwrites. */
  onBytes(bytes: Buffer, count: number): void
  onResponse(connection: Connection): void
  status: number
  bodyLength?: number | undefined
}

/** Runs all of them against a server at once, for so long; gives the seconds it took. */
export async function runClients(port: number, clients: readonly Client[], seconds: number): Promise<number> {
  const startedAt = performance.now()
  const stop = new AbortController()
  const hung = setTimeout(() => stop.abort(), seconds * 1000 + GRACE_MS)
  try {
    await Promise.all(clients.map((client) => runClient(port, client, stop.signal)))
  } finally {
    stop.abort()
    clearTimeout(hung)
  }
  return (performance.now() - startedAt) / 1000
}

function runClient(port: number, client: Client, stop: AbortSignal): Promise<void> {
  const { status, bodyLength } = client
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader()
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: received,
        callback(count) {
          try {
            client.onBytes(received, count)
            if (reader.feed(received, count)) take()
          } catch (error) {
            fail(error as Error)
          }
          return true
        },
      },
    })
    const fail = (error: Error) => {
      reject(error)
      socket.destroy()
    }
    const connection: Connection = {
      send: (request) => void socket.write(request),
      end() {
        resolve()
        socket.destroy()
      },
    }
    function take(): void {
      if (reader.status !== status) throw new Error(`an answer with status ${reader.status} instead of ${status}`)
      if (bodyLength !== undefined && reader.bodyLength !== bodyLength)
        throw new Error(`a body of ${reader.bodyLength} bytes instead of ${bodyLength}`)
      client.onResponse(connection)
    }
    stop.addEventListener('abort', () => fail(new Error(`no answer within ${GRACE_MS / 1000} s of the end`)))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('connect', () => client.begin(connection))
  })
}
