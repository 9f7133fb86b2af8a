import { type Client, type Connection, runClients } from './connections.ts'

export interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Load {
  requests: number
  seconds: number
  bytes: number
  /** With a rate only. */
  latenciesMs: number[]
}

/** A request as bytes, made once. */
export function toBytes({ method, path, headers = {}, body = '' }: Request): Buffer {
  const all = { host: 'bench', ...headers, ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

interface LoadOptions {
  port: number
  /** Of several, the connections together send one after the other, round and round. */
  request: Buffer | readonly Buffer[]
  connections: number
  seconds: number
  /** Requests a second over all connections; as many as go through if left out. */
  rate?: number
  /** Fails the run on any response with another status. */
  status: number
  /** Fails the run on any response with a body of another length. */
  bodyLength?: number
}

/** Sends requests over and over on kept-alive connections, one at a time on each. */
export async function load(options: LoadOptions): Promise<Load> {
  const { port, connections, seconds, rate, status, bodyLength } = options
  const requests: readonly Buffer[] = Array.isArray(options.request) ? options.request : [options.request]
  const result: Load = { requests: 0, seconds: 0, bytes: 0, latenciesMs: [] }
  const endsAt = performance.now() + seconds * 1000
  const pauseMs = rate === undefined ? 0 : (1000 * connections) / rate
  let sent = 0
  const clients = Array.from({ length: connections }, (_, i) => client(i * (pauseMs / connections)))
  result.seconds = await runClients(port, clients, seconds)
  return result

  function client(firstPauseMs: number): Client {
    let dueAt = performance.now() + firstPauseMs
    let countedFrom = 0
    const send = (connection: Connection) => {
      connection.send(requests.length === 1 ? (requests[0] as Buffer) : (requests[sent++ % requests.length] as Buffer))
    }
    const sendPaced = (connection: Connection) => {
      countedFrom = performance.now()
      send(connection)
    }

    /** A response so late that the next request is overdue makes that one late as well: it counts from when it was due. */
    function schedule(connection: Connection, now: number): void {
      dueAt += pauseMs
      if (dueAt > now) setTimeout(sendPaced, dueAt - now, connection)
      else {
        countedFrom = dueAt
        send(connection)
      }
    }

    return {
      status,
      bodyLength,
      begin: (connection) =>
        void (firstPauseMs > 0 ? setTimeout(sendPaced, firstPauseMs, connection) : sendPaced(connection)),
      onBytes(_, count) {
        result.bytes += count
      },
      onResponse(connection) {
        result.requests++
        const now = performance.now()
        if (rate !== undefined) result.latenciesMs.push(now - countedFrom)
        if (now >= endsAt) connection.end()
        else if (rate === undefined) send(connection)
        else schedule(connection, now)
      },
    }
  }
}
