import { connect } from 'node:net'
import { AnswerReader } from './answer-reader.ts'

/** How long answers may be missing after the end before the server counts as hung. */
const PATIENCE_MS = 5000

/** One for all connections: what is in it is looked at before the next read. */
const received = Buffer.alloc(64 * 1024)

export interface Talk {
  ask(request: Buffer): void
  end(): void
}

/** One side of a conversation that asks one thing at a time. What it throws ends the run. */
export interface Asker {
  begin(talk: Talk): void
  /** The first `count` bytes, which the next read overwrites. */
  onBytes(bytes: Buffer, count: number): void
  onAnswer(talk: Talk): void
  status: number
  bodyLength?: number | undefined
}

/** Has all of them talk to a server at once, for so long; gives the seconds it took. */
export async function converseAll(port: number, askers: readonly Asker[], seconds: number): Promise<number> {
  const startedAt = performance.now()
  const stop = new AbortController()
  const hung = setTimeout(() => stop.abort(), seconds * 1000 + PATIENCE_MS)
  try {
    await Promise.all(askers.map((asker) => converse(port, asker, stop.signal)))
  } finally {
    stop.abort()
    clearTimeout(hung)
  }
  return (performance.now() - startedAt) / 1000
}

function converse(port: number, asker: Asker, stop: AbortSignal): Promise<void> {
  const { status, bodyLength } = asker
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader()
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: received,
        callback(count) {
          try {
            asker.onBytes(received, count)
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
    const talk: Talk = {
      ask: (request) => void socket.write(request),
      end() {
        resolve()
        socket.destroy()
      },
    }
    function take(): void {
      if (reader.status !== status) throw new Error(`an answer with status ${reader.status} instead of ${status}`)
      if (bodyLength !== undefined && reader.bodyLength !== bodyLength)
        throw new Error(`a body of ${reader.bodyLength} bytes instead of ${bodyLength}`)
      asker.onAnswer(talk)
    }
    stop.addEventListener('abort', () => fail(new Error(`no answer within ${PATIENCE_MS / 1000} s of the end`)))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('connect', () => asker.begin(talk))
  })
}
