import { connect } from 'node:net'
import { type HttpResponse, textResponse } from '../support/exchange.ts'
import type { Conversation } from './requests.ts'

/** Sent at the end of each conversation: its response shows that all earlier ones were sent. */
const LAST = Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')

/** Only decides when to stop waiting for the end of a request that has none: nothing is concluded from it. */
const IDLE_MS = 500

/**
 * A server that keeps a connection open for so long after its client has closed its side has forgotten it. Longer than a
 * request may take, and less than a campaign waits for a failure.
 */
const FORGOTTEN_MS = 45_000

export interface ReceivedResponse extends HttpResponse {
  /** A length was announced and no body came, as is right after HEAD. */
  isHeadOnly: boolean
  /** Names that came more than once. */
  repeated: string[]
}

export interface Transcript {
  responses: ReceivedResponse[]
  /** What is wrong with the bytes as HTTP. */
  fault: string | undefined
  /** The client closed its side first, so that responses may be missing. */
  isAbandoned: boolean
}

/** Sends a conversation on a connection of its own, and reads until the server closes it. */
export async function sendConversation(
  url: string,
  { requests, cuts, resets }: Conversation,
  idleMs = IDLE_MS,
): Promise<Transcript> {
  const isCut = requests.some((request) => request.isCut)
  const bytes = Buffer.concat([...requests.map((request) => request.bytes), ...(isCut || resets ? [] : [LAST])])
  const { hostname, port } = new URL(url)
  const received: Buffer[] = []
  let isAbandoned = isCut
  let isForgotten = false
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.on('timeout', () => {
      isForgotten = isAbandoned && socket.timeout === FORGOTTEN_MS
      isAbandoned = true
      socket.setTimeout(FORGOTTEN_MS)
      if (isForgotten) socket.destroy()
      else socket.end()
    })
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('connect', async () => {
      socket.setTimeout(idleMs)
      for (const piece of piecesOf(bytes, cuts)) {
        if (!socket.writable) return
        socket.write(piece)
        if (cuts.length > 0) await new Promise(setImmediate)
      }
      if (resets) socket.resetAndDestroy()
      else if (isCut) socket.end()
    })
    // A server that closes while there is more to read resets the connection: what came before is what counts.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve())
  })
  const transcript = readResponses(Buffer.concat(received))
  const fault = isForgotten ? 'a connection that the server does not close after its client did' : transcript.fault
  return { ...transcript, fault, isAbandoned: isAbandoned || resets }
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = cuts.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b)
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
}

function readResponses(bytes: Buffer): { responses: ReceivedResponse[]; fault: string | undefined } {
  const responses: ReceivedResponse[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end === -1) return { responses, fault: `an answer that ends within its head: ${bytes.subarray(at)}` }
    const [line = '', ...lines] = bytes.subarray(at, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\x20-\x7e]+$/.exec(line)?.[1])
    if (Number.isNaN(status)) return { responses, fault: `not a status line: ${line}` }
    at = end + 4
    if (status < 200) continue
    const { headers, repeated, fault } = readHeaders(lines)
    if (fault !== undefined) return { responses, fault }
    const isChunked = headers['transfer-encoding'] === 'chunked'
    const isBodiless = at === bytes.length || bytes.subarray(at, at + 9).toString() === 'HTTP/1.1 '
    const chunked = isChunked && !isBodiless ? chunkedLength(bytes, at) : undefined
    const announced = headers['content-length'] ?? chunked
    const isHeadOnly = isBodiless && (isChunked || Number(announced) > 0)
    if (announced === undefined && !isHeadOnly && status !== 204 && status !== 304)
      return { responses, fault: `a ${status} without Content-Length` }
    const length = Number(announced ?? 0)
    const body = bytes.subarray(at, isHeadOnly ? at : at + length)
    if (!isHeadOnly && body.length < length)
      return { responses, fault: `a body of ${body.length} bytes instead of ${length}` }
    at += body.length
    responses.push({ ...textResponse(status, headers, body), isHeadOnly, repeated })
  }
  return { responses, fault: undefined }
}

/** How many bytes a body in chunks takes, with its sizes; undefined if they do not add up to an end. */
function chunkedLength(bytes: Buffer, start: number): number | undefined {
  for (let at = start; ; ) {
    const [line = '', digits = ''] = /^([0-9a-f]+)\r\n/i.exec(bytes.subarray(at, at + 20).toString('latin1')) ?? []
    const size = Number.parseInt(digits, 16)
    at += line.length + size + 2
    if (Number.isNaN(size) || bytes.subarray(at - 2, at).toString() !== '\r\n') return undefined
    if (size === 0) return at - start
  }
}

function readHeaders(lines: readonly string[]) {
  const headers: Record<string, string> = {}
  const repeated: string[] = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+\-.^_`|~\w]+): ([\x20-\x7e]*)$/.exec(line) ?? []
    if (name === '') return { headers, repeated, fault: `not a header: ${line}` }
    const key = name.toLowerCase()
    if (key in headers) repeated.push(key)
    headers[key] = value
  }
  return { headers, repeated, fault: undefined }
}
