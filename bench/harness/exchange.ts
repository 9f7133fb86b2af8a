import { connect } from 'node:net'
import { ResponseReader } from '../load/response-reader.ts'

export interface RawResponse {
  status: number
  /** As sent: names and values in turn. */
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer
  /** All that was sent, head and framing included. */
  bytes: number
}

/** One request on a connection of its own, and the whole response. */
export function exchange(port: number, request: Buffer, timeoutMs = 5000): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader()
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      try {
        if (!reader.feed(chunk, chunk.length)) return
        resolve(parse(Buffer.concat(chunks)))
        socket.destroy()
      } catch (error) {
        socket.destroy(error as Error)
      }
    })
  })
}

function parse(bytes: Buffer): RawResponse {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const rest = bytes.subarray(headEnd + 4)
  const isChunked = headers.some(([name]) => name.toLowerCase() === 'transfer-encoding')
  return {
    status: Number(statusLine.slice(9, 12)),
    headers,
    body: isChunked ? joinChunks(rest) : rest,
    bytes: bytes.length,
  }
}

function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

export const headerOf = ({ headers }: RawResponse, headerName: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === headerName)?.[1]
