import { connect } from 'node:net'

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
  latenciesMs: number[]
}

/** A request as bytes, made once. */
export function toBytes({ method, path, headers = {}, body = '' }: Request): Buffer {
  const all = { host: 'bench', ...headers, ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

interface Options {
  port: number
  /** Of several, the connections together send one after the other, round and round. */
  request: Buffer | readonly Buffer[]
  connections: number
  seconds: number
  /** Requests a second over all connections; as many as go through if left out. */
  rate?: number
  /** Fails the run on any answer that does not begin with this status. */
  status: number
}

/** Sends the same request over and over on kept-alive connections, one at a time on each. */
export async function load({ port, request, connections, seconds, rate, status }: Options): Promise<Load> {
  const result: Load = { requests: 0, seconds: 0, bytes: 0, latenciesMs: [] }
  const requests = Array.isArray(request) ? request : [request]
  let sent = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const pauseMs = rate === undefined ? 0 : (1000 * connections) / rate
  await Promise.all(Array.from({ length: connections }, (_, i) => converse(i * (pauseMs / connections))))
  result.seconds = (performance.now() - startedAt) / 1000
  return result

  function converse(firstPauseMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay()
      let sentAt = 0
      let missing = 0
      let head = ''
      let nextAt = performance.now() + firstPauseMs
      const send = () => {
        sentAt = performance.now()
        socket.write(requests[sent++ % requests.length])
      }
      const next = () => {
        if (performance.now() >= endsAt) {
          socket.destroy()
          resolve()
        } else if (pauseMs === 0) send()
        else {
          nextAt += pauseMs
          setTimeout(send, Math.max(0, nextAt - performance.now()))
        }
      }
      socket.on('connect', () => (firstPauseMs > 0 ? setTimeout(send, firstPauseMs) : send()))
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
      socket.on('data', (chunk) => {
        result.bytes += chunk.length
        if (missing === 0) {
          head += chunk.latin1Slice()
          const end = head.indexOf('\r\n\r\n')
          if (end === -1) return
          if (!head.startsWith(`HTTP/1.1 ${status}`)) {
            reject(new Error(`unexpected answer: ${head.slice(0, 60)}`))
            socket.destroy()
            return
          }
          const length = Number(/\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0)
          missing = length - (head.length - end - 4)
          head = ''
        } else missing -= chunk.length
        if (missing > 0) return
        missing = 0
        result.requests++
        if (rate !== undefined) result.latenciesMs.push(performance.now() - sentAt)
        next()
      })
    })
  }
}
