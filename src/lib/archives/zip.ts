import { ByteReader } from '../byte-reader.ts'
import { type Compression, decompressed } from './decompress.ts'
import { ArchiveError } from './limits.ts'

/** A file or memory, of which any part can be read. */
export interface RandomAccess {
  size: number
  range(start: number, end: number): AsyncIterable<Buffer>
}

export interface ZipEntry {
  name: string
  /** Throws an ArchiveError, at the latest when it is read, if this entry cannot be read. */
  open(): AsyncIterable<Buffer>
}

const END = 0x06054b50
const END_64_LOCATOR = 0x07064b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
/** The end has 22 bytes and a comment, which a length of two bytes limits; before it may be the locator of the larger form. */
const MAX_END_BYTES = 22 + 0xffff + 20
const IN_EXTRA_FIELD = 0xffffffff
const ENCRYPTED = 0x1
const UTF_8 = 0x800

/** APPNOTE 6.3.10. The directory at the end decides, as it does for every program that unpacks. */
export async function* zipEntries(file: RandomAccess): AsyncGenerator<ZipEntry> {
  const { start, size } = await directoryOf(file)
  const reader = new ByteReader(file.range(start, start + size))
  for (let left = size; left > 0; ) {
    const header = await reader.read(46)
    if (header?.readUInt32LE(0) !== ENTRY) throw new ArchiveError('is damaged')
    const nameLength = header.readUInt16LE(28)
    const extraLength = header.readUInt16LE(30)
    const rest = await reader.read(nameLength + extraLength + header.readUInt16LE(32))
    if (rest === undefined) throw new ArchiveError('is damaged')
    left -= header.length + rest.length
    const name = rest.subarray(0, nameLength)
    const isUtf8 = (header.readUInt16LE(8) & UTF_8) !== 0
    const { length, offset } = placeOf(header, rest.subarray(nameLength, nameLength + extraLength))
    yield {
      name: name.toString(isUtf8 ? 'utf8' : 'latin1'),
      open: () => openEntry(file, { flags: header.readUInt16LE(8), method: header.readUInt16LE(10), length, offset }),
    }
  }
}

async function directoryOf(file: RandomAccess): Promise<{ start: number; size: number }> {
  const from = Math.max(0, file.size - MAX_END_BYTES)
  const tail = await collect(file.range(from, file.size))
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) continue
    const [size, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
    if (size !== IN_EXTRA_FIELD && start !== IN_EXTRA_FIELD) return { start, size }
    if (at < 20 || tail.readUInt32LE(at - 20) !== END_64_LOCATOR) break
    const endAt = safe(tail.readBigUInt64LE(at - 12))
    const end = await collect(file.range(endAt, endAt + 56))
    if (end.length < 56) break
    return { size: safe(end.readBigUInt64LE(40)), start: safe(end.readBigUInt64LE(48)) }
  }
  throw new ArchiveError('is damaged, or cut off')
}

/** What does not fit four bytes is in the extra field 1, in this order. */
function placeOf(header: Buffer, extra: Buffer): { length: number; offset: number } {
  let [length, offset] = [header.readUInt32LE(20), header.readUInt32LE(42)]
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    const read = () => {
      next += 8
      if (next > extra.length) throw new ArchiveError('is damaged')
      return safe(extra.readBigUInt64LE(next - 8))
    }
    if (header.readUInt32LE(24) === IN_EXTRA_FIELD) read()
    if (length === IN_EXTRA_FIELD) length = read()
    if (offset === IN_EXTRA_FIELD) offset = read()
    break
  }
  return { length, offset }
}

const methods: Record<number, Compression | 'stored'> = { 0: 'stored', 8: 'deflate', 12: 'bzip2', 93: 'zstd', 95: 'xz' }

interface Stored {
  flags: number
  method: number
  length: number
  offset: number
}

async function* openEntry(file: RandomAccess, { flags, method, length, offset }: Stored): AsyncGenerator<Buffer> {
  if (flags & ENCRYPTED) throw new ArchiveError('is encrypted')
  const compression = methods[method]
  if (compression === undefined) throw new ArchiveError(`is compressed with method ${method}, which is not supported`)
  const header = await collect(file.range(offset, offset + 30))
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) throw new ArchiveError('is damaged')
  const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (start + length > file.size) throw new ArchiveError('is cut off')
  const stored = file.range(start, start + length)
  yield* compression === 'stored' ? stored : decompressed(compression, stored)
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = []
  for await (const chunk of chunks) held.push(Buffer.from(chunk))
  return Buffer.concat(held)
}

function safe(number: bigint): number {
  if (number > Number.MAX_SAFE_INTEGER) throw new ArchiveError('is damaged')
  return Number(number)
}
