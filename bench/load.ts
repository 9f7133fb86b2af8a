import { connect } from 'node:net'
import { AnswerReader } from './wire/answer-reader.ts'

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

export interface LoadOptions {
  port: number
  /** Of several, the connections together send one after the other, round and round. */
  request: Buffer | readonly Buffer[]
  connections: number
  seconds: number
  /** Requests a second over all connections; as many as go through if left out. */
  rate?: number
  /** Fails the run on any answer with another status. */
  status: number
  /** Fails the run on any answer with a body of another length. */
  bodyLength?: number
}

/** How long answers may be missing after the end before the server counts as hung. */
const PATIENCE_MS = 5000

/** One for all connections: what is in it is looked at before the next read. */
const received = Buffer.alloc(64 * 1024)

/** Sends requests over and over on kept-alive connections, one at a time on each. */
export async function load(options: LoadOptions): Promise<Load> {
  const { port, connections, seconds, rate, status, bodyLength } = options
  const requests: readonly Buffer[] = Array.isArray(options.request) ? options.request : [options.request]
  const result: Load = { requests: 0, seconds: 0, bytes: 0, latenciesMs: [] }
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const pauseMs = rate === undefined ? 0 : (1000 * connections) / rate
  const stop = new AbortController()
  const hung = setTimeout(() => stop.abort(), seconds * 1000 + PATIENCE_MS)
  let sent = 0
  try {
    await Promise.all(Array.from({ length: connections }, (_, i) => converse(i * (pauseMs / connections))))
  } finally {
    stop.abort()
    clearTimeout(hung)
  }
  result.seconds = (performance.now() - startedAt) / 1000
  return result

  function converse(firstPauseMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const reader = new AnswerReader()
      let dueAt = performance.now() + firstPauseMs
      let countedFrom = 0
      const socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer: received,
          callback(count) {
            result.bytes += count
            try {
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
      const send = () => {
        socket.write(requests.length === 1 ? (requests[0] as Buffer) : (requests[sent++ % requests.length] as Buffer))
      }
      const sendPaced = () => {
        countedFrom = performance.now()
        send()
      }

      function take(): void {
        if (reader.status !== status) throw new Error(`an answer with status ${reader.status} instead of ${status}`)
        if (bodyLength !== undefined && reader.bodyLength !== bodyLength)
          throw new Error(`a body of ${reader.bodyLength} bytes instead of ${bodyLength}`)
        result.requests++
        const now = performance.now()
        if (rate !== undefined) result.latenciesMs.push(now - countedFrom)
        if (now >= endsAt) {
          resolve()
          socket.destroy()
        } else if (rate === undefined) send()
        else schedule(now)
      }

      /** An answer so late that the next request is overdue makes that one late as well: it counts from when it was due. */
      function schedule(now: number): void {
        dueAt += pauseMs
        if (dueAt > now) setTimeout(sendPaced, dueAt - now)
        else {
          countedFrom = dueAt
          send()
        }
      }

      stop.signal.addEventListener('abort', () =>
        fail(new Error(`no answer within ${PATIENCE_MS / 1000} s of the end`)),
      )
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
      socket.on('connect', () => (firstPauseMs > 0 ? setTimeout(sendPaced, firstPauseMs) : sendPaced()))
    })
  }
}
