import { isToken, TOKEN_LENGTH } from '../../lib/key-format.ts'
import type { IsExcluded } from './excluded.ts'
import type { Findings, Location } from './findings.ts'
import type { Budget } from './limits.ts'

export interface FoundToken {
  token: string
  /** Both are 1-based; the column is in bytes. */
  line: number
  column: number
}

interface Match {
  token: string
  start: number
  end: number
}

/** The needles start with a rare letter to speed up the search. */
interface Encoding {
  needle: Buffer
  at(bytes: Buffer, hit: number): Match | undefined
}

/** The underscore is the only character of a key that URL, JSON and Markdown encoders may escape. */
const ESCAPED_UNDERSCORE = /^(?:%(?:25){0,4}5f|\\{1,8}(?:u005f|_))/i
const MAX_ESCAPE_LENGTH = 13
const START = 'vtr'
const AFTER_UNDERSCORE = TOKEN_LENGTH - START.length - 1

const plain: Encoding = {
  needle: Buffer.from(START),
  at(bytes, start) {
    const underscoreAt = start + START.length
    if (bytes[underscoreAt] === 0x5f)
      return match(bytes.toString('latin1', start, start + TOKEN_LENGTH), start, TOKEN_LENGTH)
    const [escaped] =
      ESCAPED_UNDERSCORE.exec(bytes.toString('latin1', underscoreAt, underscoreAt + MAX_ESCAPE_LENGTH)) ?? []
    if (escaped === undefined) return undefined
    const restAt = underscoreAt + escaped.length
    const token = `${START}_${bytes.toString('latin1', restAt, restAt + AFTER_UNDERSCORE)}`
    return match(token, start, restAt + AFTER_UNDERSCORE - start)
  },
}

/** Little-endian and big-endian differ only in the bytes around the match. */
const utf16: Encoding = {
  needle: Buffer.from('v\0t\0r\0_'),
  at(bytes, start) {
    const text = bytes.toString('latin1', start, start + 2 * TOKEN_LENGTH - 1)
    if (!/^[^\0](?:\0[^\0])*$/.test(text)) return undefined
    return match(text.replaceAll('\0', ''), start, text.length)
  },
}

/** Base64, as in a Kubernetes Secret. A key starts at the first, second or third byte of a group of three. */
const base64 = [
  { text: 'dnRyX', needle: 'RyX', bytesBefore: 0, charactersBefore: 0 },
  { text: 'Z0cl', needle: 'Z0cl', bytesBefore: 1, charactersBefore: 2 },
  { text: '2dHJf', needle: 'HJf', bytesBefore: 2, charactersBefore: 3 },
].map(({ text, needle, bytesBefore, charactersBefore }): Encoding => {
  const length = Math.ceil(((bytesBefore + TOKEN_LENGTH) * 4) / 3)
  return {
    needle: Buffer.from(needle),
    at(bytes, hit) {
      const textAt = hit - text.indexOf(needle)
      const start = textAt - charactersBefore
      if (start < 0 || bytes.toString('latin1', textAt, hit) !== text.slice(0, hit - textAt)) return undefined
      const decoded = Buffer.from(bytes.toString('latin1', start, start + length), 'base64')
      return match(decoded.toString('latin1', bytesBefore, bytesBefore + TOKEN_LENGTH), start, length)
    },
  }
})

const match = (token: string, start: number, length: number): Match | undefined =>
  isToken(token) ? { token, start, end: start + length } : undefined

const withoutNul = [plain, ...base64]
const withNul = [utf16, ...withoutNul]
/** UTF-16 is the longest encoding. */
const MAX_ENCODED_BYTES = 2 * TOKEN_LENGTH
const NEWLINE = 0x0a
const EMPTY: Buffer = Buffer.alloc(0)

/**
 * Takes one chunk after the other, whose buffers the caller may reuse. Only the checksum decides whether characters are a key.
 * Counting lines takes as long as searching, so those after the last key of the last chunk are not counted.
 */
export function tokenFinder(onToken: (token: FoundToken) => void): (chunk: Buffer, isLast?: boolean) => void {
  /** The end of the last chunk: a key may start in one chunk and end in the next. */
  let tail = EMPTY
  /** How far lines have been counted, and where the current line starts, as offsets into the tail. */
  let counted = 0
  let lineStart = 0
  let line = 1

  function countLines(bytes: Buffer, to: number): void {
    if (to <= counted) return
    const before = bytes.subarray(0, to)
    for (let at = before.indexOf(NEWLINE, counted); at !== -1; at = before.indexOf(NEWLINE, at + 1)) {
      line++
      lineStart = at + 1
    }
    counted = to
  }

  return (chunk, isLast = false) => {
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    for (const { token, start, end } of matchesIn(bytes)) {
      const isRepeated = end <= tail.length
      if (isRepeated) continue
      countLines(bytes, start)
      onToken({ token, line, column: start - lineStart + 1 })
    }
    if (isLast) return
    const tailStart = Math.max(0, bytes.length - MAX_ENCODED_BYTES)
    countLines(bytes, tailStart)
    tail = Buffer.from(bytes.subarray(tailStart))
    counted -= tailStart
    lineStart -= tailStart
  }
}

function matchesIn(bytes: Buffer): Match[] {
  const matches: Match[] = []
  for (const { needle, at } of bytes.includes(0) ? withNul : withoutNul)
    for (let hit = bytes.indexOf(needle); hit !== -1; hit = bytes.indexOf(needle, hit + 1)) {
      const candidate = at(bytes, hit)
      if (candidate !== undefined && candidate.end <= bytes.length) matches.push(candidate)
    }
  return matches.sort((a, b) => a.start - b.start)
}

export interface Scan {
  findings: Findings
  budget: Budget
  isExcluded?: IsExcluded | undefined
}

export function contentSearch({ findings, budget }: Scan, location: Location) {
  const find = tokenFinder(({ token, line, column }) => findings.add(token, { ...location, line, column }))
  let isFirst = true
  return (piece: Buffer, isLast = false): void => {
    if (isFirst) noteStart(findings, piece)
    isFirst = false
    budget.take(piece.length)
    findings.bytes += piece.length
    find(piece, isLast)
  }
}

/** The magic bytes of gzip, zip, zstd, xz, bzip2, 7z and rar files. */
const COMPRESSED = ['\x1f\x8b\x08', 'PK\x03\x04', '\x28\xb5\x2f\xfd', '\xfd7zXZ\0', 'BZh', '7z\xbc\xaf', 'Rar!\x1a']

/** Compressed files are not searched, and the report counts them. */
function noteStart(findings: Findings, bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, 6)
  if (COMPRESSED.some((each) => start.startsWith(each))) findings.skip('compressed file')
}
