/** Floods a server from a process of its own, so that whoever is measured beside it does not wait for this one's work. */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface FloodOptions {
  port: number
  /** As text: a request without a body. */
  request: string
  connections: number
  /** Requests a second over all connections, sent whether or not answers come. */
  rate: number
  seconds: number
}

export interface Flood {
  sent: number
  /** Answers by status. */
  answers: Record<string, number>
}

/** A connection that is this far behind sends no more for a while: what waits on our side is no load. */
const MOST_UNANSWERED = 64
const TICK_MS = 5
const STATUS_LINE = 'HTTP/1.1 '
const STATUS_LINE_BYTES = STATUS_LINE.length + 3

async function flood({ port, request, connections, rate, seconds }: FloodOptions): Promise<Flood> {
  const answers: Record<string, number> = {}
  const lines = await Promise.all(Array.from({ length: connections }, () => open(port, answers)))
  const startedAt = performance.now()
  let sent = 0
  for (let ms = 0; ms < seconds * 1000; ms = performance.now() - startedAt) {
    for (let due = Math.floor((ms * rate) / 1000) - sent, tries = 0; due > 0 && tries < connections; tries++) {
      const line = lines[(sent + tries) % connections] as Line
      const count = Math.min(Math.ceil(due / connections), MOST_UNANSWERED - line.unanswered)
      if (count <= 0) continue
      line.send(request, count)
      sent += count
      due -= count
    }
    await delay(TICK_MS)
  }
  for (const { close } of lines) close()
  return { sent, answers }
}

interface Line {
  unanswered: number
  send(request: string, count: number): void
  close(): void
}

/** Answers are told by their status lines: no body of the bench holds one. */
async function open(port: number, answers: Record<string, number>): Promise<Line> {
  const socket = connect(port, '127.0.0.1')
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let end = ''
  const line: Line = {
    unanswered: 0,
    send(request, count) {
      line.unanswered += count
      socket.write(request.repeat(count))
    },
    close: () => socket.destroy(),
  }
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    const text = end + chunk.toString('latin1')
    let from = 0
    for (let at = text.indexOf(STATUS_LINE); at !== -1; at = text.indexOf(STATUS_LINE, from)) {
      if (at + STATUS_LINE_BYTES > text.length) break
      const status = text.slice(at + STATUS_LINE.length, at + STATUS_LINE_BYTES)
      answers[status] = (answers[status] ?? 0) + 1
      line.unanswered--
      from = at + STATUS_LINE_BYTES
    }
    end = text.slice(Math.max(from, text.length - STATUS_LINE_BYTES + 1))
  })
  return line
}

if (import.meta.main)
  process.once('message', async (options: FloodOptions) => {
    process.send?.(await flood(options))
    process.disconnect()
  })
