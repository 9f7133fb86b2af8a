import { connect } from 'node:net'
import { AnswerReader } from '../wire/answer-reader.ts'

/** Someone who changes a workspace and then reads it, over and over. */
export interface Visitor {
  request: Buffer
  /** Commits a change; gives bytes that an answer must hold to show it. */
  change(): Buffer
}

const PATIENCE_MS = 5000
const received = Buffer.alloc(64 * 1024)

interface Expected {
  bodyLength: number
  /** Whether an answer must show the change that came before it; a bare server's cannot. */
  showsChange: boolean
}

/**
 * One connection for each visitor. Every request is sent after a change was committed, and every answer must show that
 * very change; the first that does not ends the run.
 */
export async function loadWithChanges(
  port: number,
  visitors: readonly Visitor[],
  seconds: number,
  { bodyLength, showsChange }: Expected,
): Promise<{ requests: number; seconds: number }> {
  let requests = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const stop = new AbortController()
  const hung = setTimeout(() => stop.abort(), seconds * 1000 + PATIENCE_MS)
  try {
    await Promise.all(visitors.map(converse))
  } finally {
    stop.abort()
    clearTimeout(hung)
  }
  return { requests, seconds: (performance.now() - startedAt) / 1000 }

  function converse({ request, change }: Visitor): Promise<void> {
    return new Promise((resolve, reject) => {
      const reader = new AnswerReader()
      const answer = Buffer.alloc(bodyLength + 4096)
      let length = 0
      let sign: Buffer
      const socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer: received,
          callback(count) {
            try {
              length += received.copy(answer, length, 0, count)
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
        length = 0
        sign = change()
        socket.write(request)
      }
      function take(): void {
        if (reader.status !== 200) throw new Error(`an answer with status ${reader.status} instead of 200`)
        if (reader.bodyLength !== bodyLength)
          throw new Error(`a body of ${reader.bodyLength} bytes instead of ${bodyLength}`)
        const at = showsChange ? answer.indexOf(sign) : 0
        if (at === -1 || at > length) throw new Error('an answer does not show the change that came before its request')
        requests++
        if (performance.now() < endsAt) send()
        else {
          resolve()
          socket.destroy()
        }
      }
      stop.signal.addEventListener('abort', () =>
        fail(new Error(`no answer within ${PATIENCE_MS / 1000} s of the end`)),
      )
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
      socket.on('connect', send)
    })
  }
}
