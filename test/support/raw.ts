import { connect, type Socket } from 'node:net'
import { type Answer, answerOf } from './exchange.ts'

/** A connection on which a test says what it likes, well-formed or not. */
export interface RawConnection {
  socket: Socket
  write(data: string | Buffer): void
  /** The next answer, interim ones (1xx) included; rejects if the connection ends first. */
  next(): Promise<Answer>
  /** All answers that come before the server closes the connection. */
  untilClosed(): Promise<Answer[]>
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

  async function take(): Promise<Answer | undefined> {
    for (;;) {
      const parsed = parseAnswer(received)
      if (parsed !== undefined) {
        received = received.subarray(parsed.length)
        return parsed.answer
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
      const answer = await take()
      if (answer === undefined) throw new Error(`the connection ended without an answer; left: ${received}`)
      return answer
    },
    async untilClosed() {
      const answers: Answer[] = []
      for (let answer = await take(); answer !== undefined; answer = await take()) answers.push(answer)
      if (received.length > 0) throw new Error(`the connection ended within an answer: ${received}`)
      return answers
    },
  }
}

/** Resolves when the connection is closed, whatever still came on it. */
export const untilSocketCloses = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.resume().once('close', resolve))

/** Sends bytes on a connection of their own and gives the only answer; the server must close after it. */
export async function sendRaw(url: string, data: string | Buffer): Promise<Answer> {
  const connection = await openRaw(url)
  connection.write(data)
  const answers = await connection.untilClosed()
  if (answers.length !== 1) throw new Error(`${answers.length} answers: ${answers.map(({ text }) => text)}`)
  return answers[0] as Answer
}

function parseAnswer(bytes: Buffer): { answer: Answer; length: number } | undefined {
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
  return { answer: answerOf(status, headers, bytes.subarray(headEnd + 4, length)), length }
}
