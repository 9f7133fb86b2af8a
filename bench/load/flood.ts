/** Floods a server from a process of its own, so that it does not slow down whatever is measured in the parent. */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface FloodOptions {
  port: number
  /** As text: a request without a body. */
  request: string
  connections: number
  /** Requests a second over all connections, sent whether or not responses arrive. */
  rate: number
  seconds: number
}

export interface Flood {
  sent: number
  /** By status. */
  responses: Record<string, number>
}

/** A connection that is this far behind pauses: requests that wait on our side are not load. */
const MAX_PENDING = 64
const TICK_MS = 5
const STATUS_LINE = 'HTTP/1.1 '
const STATUS_LINE_BYTES = STATUS_LINE.length + 3

async function flood({ port, request, connections, rate, seconds }: FloodOptions, onReady: () => void): Promise<Flood> {
  const responses: Record<string, number> = {}
  const all = await Promise.all(Array.from({ length: connections }, () => open(port, responses)))
  // The kernel connects before the server accepts: only a response shows that a connection takes part.
  for (const { send } of all) send(request, 1)
  while (all.some(({ pending }) => pending > 0)) await delay(TICK_MS)
  onReady()
  const startedAt = performance.now()
  let sent = 0
  for (let ms = 0; ms < seconds * 1000; ms = performance.now() - startedAt) {
    for (let due = Math.floor((ms * rate) / 1000) - sent, attempts = 0; due > 0 && attempts < connections; attempts++) {
      const connection = all[(sent + attempts) % connections] as FloodConnection
      const count = Math.min(Math.ceil(due / connections), MAX_PENDING - connection.pending)
      if (count <= 0) continue
      connection.send(request, count)
      sent += count
      due -= count
    }
    await delay(TICK_MS)
  }
  for (const { close } of all) close()
  return { sent, responses }
}

interface FloodConnection {
  pending: number
  send(request: string, count: number): void
  close(): void
}

/** Counts status lines, since no body in the benchmark contains one. */
async function open(port: number, responses: Record<string, number>): Promise<FloodConnection> {
  const socket = connect(port, '127.0.0.1')
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let end = ''
  const connection: FloodConnection = {
    pending: 0,
    send(request, count) {
      connection.pending += count
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
      responses[status] = (responses[status] ?? 0) + 1
      connection.pending--
      from = at + STATUS_LINE_BYTES
    }
    end = text.slice(Math.max(from, text.length - STATUS_LINE_BYTES + 1))
  })
  return connection
}

if (import.meta.main)
  process.once('message', async (options: FloodOptions) => {
    process.send?.(await flood(options, () => process.send?.('ready')))
    process.disconnect()
  })
