import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { type HttpResponse, textResponse } from './exchange.ts'

/** A connection on which a test can send anything, well-formed or not. */
interface RawConnection {
  socket: Socket
  write(data: string | Buffer): void
  /** The next response, interim ones (1xx) included; rejects if the connection ends first. */
  next(): Promise<HttpResponse>
  /** All responses before the server closes the connection. */
  untilClosed(): Promise<HttpResponse[]>
}

export async function openRaw(url: string, options: { localAddress?: string } = {}): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ...options })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let received = Buffer.alloc(0)
  let isOver = false
  let wake = () => {}
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  const end = () => {
    isOver = true
    wake()
  }
  socket.on('close', end).on('error', end)

  async function take(): Promise<HttpResponse | undefined> {
    for (;;) {
      const parsed = parseResponse(received)
      if (parsed !== undefined) {
        received = received.subarray(parsed.length)
        return parsed.response
      }
      if (isOver) return undefined
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    socket,
    write: (data) => void socket.write(data),
    async next() {
      const response = await take()
      if (response === undefined) throw new Error(`the connection ended without an answer; left: ${received}`)
      return response
    },
    async untilClosed() {
      const responses: HttpResponse[] = []
      for (let response = await take(); response !== undefined; response = await take()) responses.push(response)
      if (received.length > 0) throw new Error(`the connection ended within an answer: ${received}`)
      return responses
    },
  }
}

/** An MCP request whose head was admitted, as the 100 shows, and whose body has not been sent. */
export async function openAdmitted(
  url: string,
  key: string,
  body: number | 'in chunks',
  path = '/mcp',
): Promise<RawConnection> {
  const connection = await openRaw(url)
  const framing = body === 'in chunks' ? 'Transfer-Encoding: chunked' : `Content-Length: ${body}`
  connection.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `${framing}\r\nExpect: 100-continue\r\n\r\n`,
  )
  const { status, text } = await connection.next()
  if (status !== 100) throw new Error(`it was not admitted: ${status} ${text}`)
  return connection
}

/** Resolves when the connection is closed, whatever else arrived on it. */
export const untilSocketCloses = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.resume().once('close', resolve))

/** Sends bytes on a separate connection and returns the only response; the server must close after it. */
export async function sendRaw(url: string, data: string | Buffer): Promise<HttpResponse> {
  const connection = await openRaw(url)
  connection.write(data)
  const responses = await connection.untilClosed()
  if (responses.length !== 1) throw new Error(`${responses.length} answers: ${responses.map(({ text }) => text)}`)
  return responses[0] as HttpResponse
}

function parseResponse(bytes: Buffer): { response: HttpResponse; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const length = headEnd + 4 + Number(headers['content-length'] ?? 0)
  if (bytes.length < length) return undefined
  return { response: textResponse(status, headers, bytes.subarray(headEnd + 4, length)), length }
}

const CONNECTIONS = 60

export interface Connections {
  connections: readonly RawConnection[]
  /** The same request on every connection at once, as often as wanted. */
  ask(path: string, token?: string, times?: number): Promise<HttpResponse[]>
}

/** Connections that stay open. */
export async function openConnections(t: TestContext, url: string, size = CONNECTIONS): Promise<Connections> {
  const connections = await Promise.all(Array.from({ length: size }, () => openRaw(url)))
  t.after(() => {
    for (const { socket } of connections) socket.destroy()
  })
  return {
    connections,
    async ask(path, token = '', times = 1) {
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
      const responses = connections.map(async (connection) => {
        const own: HttpResponse[] = []
        for (let i = 0; i < times; i++) {
          connection.write(request)
          own.push(await connection.next())
        }
        return own
      })
      return (await Promise.all(responses)).flat()
    },
  }
}

export const statusesOf = (responses: readonly HttpResponse[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
