import type { ByteReader } from '../byte-reader.ts'
import { ArchiveError } from './limits.ts'

export interface Entry {
  name: string
  body: AsyncIterable<Buffer>
}

const BLOCK = 512
/** Of a name that does not fit its header. */
const MAX_EXTENSION_BYTES = 1024 * 1024
/** Spaces or octal digits: nearly every file that is no archive is told by this byte. */
const SUM_START = Buffer.from(' 01234567')
const FILES = new Set(['0', '\0', '7', 'S'])

/** POSIX.1-2024, pax: the sum of all bytes, those of the sum itself counted as spaces. Old archives have no other mark. */
export function isTarHeader(block: Buffer): boolean {
  if (block.length < BLOCK || !SUM_START.includes(block[148] as number)) return false
  let sum = 8 * 0x20
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += block[at] as number
  const written = textAt(block, 148, 8).trim()
  return /^[0-7]+$/.test(written) && Number.parseInt(written, 8) === sum && sum > 8 * 0x20
}

/** The files of an archive. What is not read of an entry is skipped when the next one is asked for. */
export async function* tarEntries(reader: ByteReader): AsyncGenerator<Entry> {
  let name: string | undefined
  let size: number | undefined
  for (;;) {
    const header = await reader.read(BLOCK)
    if (header === undefined) throw new ArchiveError('is cut off')
    if (header.every((byte) => byte === 0)) return
    if (!isTarHeader(header)) throw new ArchiveError('is damaged')
    const type = String.fromCharCode(header[156] as number)
    const length = size ?? sizeIn(header)
    if (type === 'L') name = textAt(await extension(reader, length), 0)
    else if (type === 'x') {
      const records = paxRecords(await extension(reader, length))
      name = records.get('path') ?? name
      size = records.has('size') ? wholeNumber(records.get('size') ?? '') : undefined
    } else {
      if (type === 'S') await skipSparseMap(reader, header)
      const body = reader.stream(length)
      if (FILES.has(type)) yield { name: name ?? nameIn(header), body }
      for await (const _ of body);
      await skipPadding(reader, length)
      if (type !== 'K' && type !== 'g') name = size = undefined
    }
  }
}

async function extension(reader: ByteReader, length: number): Promise<Buffer> {
  const bytes = length > MAX_EXTENSION_BYTES ? undefined : await reader.read(length)
  if (bytes === undefined) throw new ArchiveError('is damaged')
  await skipPadding(reader, length)
  return bytes
}

async function skipPadding(reader: ByteReader, length: number): Promise<void> {
  const padding = (BLOCK - (length % BLOCK)) % BLOCK
  if ((await reader.read(padding)) === undefined) throw new ArchiveError('is cut off')
}

async function skipSparseMap(reader: ByteReader, header: Buffer): Promise<void> {
  for (let isExtended = header[482]; isExtended; ) {
    const map = await reader.read(BLOCK)
    if (map === undefined) throw new ArchiveError('is cut off')
    isExtended = map[504]
  }
}

function nameIn(header: Buffer): string {
  const prefix = textAt(header, 257, 6) === 'ustar' ? textAt(header, 345, 155) : ''
  const name = textAt(header, 0, 100)
  return prefix === '' ? name : `${prefix}/${name}`
}

/** In octal, or where that has too few digits in binary after a byte with the highest bit set. */
function sizeIn(header: Buffer): number {
  if (((header[124] as number) & 0x80) === 0) return wholeNumber(textAt(header, 124, 12).trim() || '0', 8)
  return checked(Number(header.readBigUInt64BE(128)))
}

const wholeNumber = (text: string, radix = 10): number =>
  checked(/^\d+$/.test(text) ? Number.parseInt(text, radix) : Number.NaN)

function checked(size: number): number {
  if (!Number.isSafeInteger(size)) throw new ArchiveError('is damaged')
  return size
}

/** Each is `<length> <name>=<value>\n`, where the length counts the whole record. */
function paxRecords(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 20), 10)
    if (!(length > 4)) break
    const [, name = '', value = ''] = /^\d+ ([^=]*)=([\s\S]*)\n$/.exec(bytes.toString('utf8', at, at + length)) ?? []
    records.set(name, value)
    at += length
  }
  return records
}

function textAt(bytes: Buffer, start: number, length = bytes.length): string {
  const field = bytes.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? field.length : end)
}
