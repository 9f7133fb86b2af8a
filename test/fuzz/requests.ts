import fc from 'fast-check'

/** One request as bytes, and what is known about its required response. */
export interface Sent {
  bytes: Buffer
  method: string
  /** The path that the request names, where it is well-formed enough to name one. */
  path: string | undefined
  /** It must be refused: no parser may accept it, or its key does not work. */
  isRefused?: boolean
  /** The request has no end: the client closes its side instead. */
  isCut?: boolean
  /** Bytes were changed, so that any request may be in them. */
  isMutated?: boolean
  /** Of a page for people. */
  isSettings?: boolean
}

/** The requests of one connection. */
export interface Conversation {
  requests: Sent[]
  /** Where the bytes are cut into pieces that are written one by one, as parts of the whole. */
  cuts: readonly number[]
  /** The client resets the connection when it has written. */
  resets: boolean
}

/** For long lists of short values. */
export const words = (text: string): string[] => text.split(' ')

/** The first of these more often than the others together. */
export const mostly = <T>(choices: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: choices.length * 2, arbitrary: fc.constant(choices[0] as T) }, fc.constantFrom(...choices))

/** Arbitraries are slow to create, and `chain` asks for one of a few again and again. */
export function memoized<In, Out>(create: (input: In) => Out): (input: In) => Out {
  const known = new Map<In, Out>()
  return (input) => {
    const found = known.get(input) ?? create(input)
    known.set(input, found)
    return found
  }
}

export type Header = readonly [name: string, value: string]

export function wire(method: string, target: string, headers: readonly Header[], body?: Buffer): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)])
}

/** A body under its length, or in chunks of these sizes. */
export function framed(body: Buffer, chunks: readonly number[] | undefined): { header: Header; body: Buffer } {
  if (chunks === undefined) return { header: ['Content-Length', String(body.length)], body }
  const parts: Buffer[] = []
  let at = 0
  for (const size of [...chunks, body.length]) {
    const piece = body.subarray(at, at + size)
    at += piece.length
    if (piece.length > 0) parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  parts.push(Buffer.from('0\r\n\r\n'))
  return { header: ['Transfer-Encoding', 'chunked'], body: Buffer.concat(parts) }
}

/** The bytes as a command that sends them again. */
export function toCommand(bytes: Buffer, url: string): string {
  const { hostname, port } = new URL(url)
  const text = [...bytes]
    .map((byte) => {
      if (byte === 13) return '\\r'
      if (byte === 10) return '\\n'
      if (byte === 0x5c || byte === 0x25 || byte === 0x27 || byte < 32 || byte > 126)
        return `\\${byte.toString(8).padStart(3, '0')}`
      return String.fromCharCode(byte)
    })
    .join('')
  return `printf '${text.length > 4000 ? `${text.slice(0, 4000)}… (${bytes.length} bytes)` : text}' | nc ${hostname} ${port}`
}

/** Shown as bytes where fast-check prints a counterexample. */
export function shown(conversation: Conversation): Conversation {
  const text = () =>
    conversation.requests.map(({ bytes }) => JSON.stringify(bytes.toString('latin1').slice(0, 2000))).join('\n')
  return Object.defineProperty(conversation, fc.toStringMethod, { value: text, enumerable: false })
}
