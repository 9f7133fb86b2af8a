import { crc32, deflateRawSync } from 'node:zlib'

interface ZipMember {
  name: string
  bytes: Buffer
  stored?: boolean
  /** Only says that it is. */
  encrypted?: boolean
}

/** A zip file, written here because there is no program for it on every machine. */
export function zipFile(members: readonly ZipMember[], { sizesIn64Bits = false, comment = '' } = {}): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes, stored = false, encrypted = false } of members) {
    const data = stored ? bytes : deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(45, 0)
    common.writeUInt16LE(0x800 | (encrypted ? 1 : 0), 2)
    common.writeUInt16LE(stored ? 0 : 8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data])
    const entry = Buffer.alloc(14)
    entry.writeUInt32LE(sizesIn64Bits ? 0xffffffff : offset, 10)
    const extra = sizesIn64Bits ? Buffer.alloc(28) : Buffer.alloc(0)
    if (sizesIn64Bits) {
      common.writeUInt32LE(0xffffffff, 14)
      common.writeUInt32LE(0xffffffff, 18)
      common.writeUInt16LE(extra.length, 24)
      extra.writeUInt16LE(1, 0)
      extra.writeUInt16LE(24, 2)
      extra.writeBigUInt64LE(BigInt(bytes.length), 4)
      extra.writeBigUInt64LE(BigInt(data.length), 12)
      extra.writeBigUInt64LE(BigInt(offset), 20)
    }
    directory.push(Buffer.from('PK\x01\x02\x2d\0', 'latin1'), common, entry, Buffer.from(name), extra)
    locals.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(sizesIn64Bits ? 0xffffffff : listed.length, 12)
  end.writeUInt32LE(sizesIn64Bits ? 0xffffffff : offset, 16)
  end.writeUInt16LE(comment.length, 20)
  const end64 = sizesIn64Bits ? end64Of(listed.length, offset) : Buffer.alloc(0)
  return Buffer.concat([...locals, listed, end64, end, Buffer.from(comment)])
}

function end64Of(size: number, start: number): Buffer {
  const record = Buffer.alloc(56)
  record.write('PK\x06\x06')
  record.writeBigUInt64LE(BigInt(size), 40)
  record.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07')
  locator.writeBigUInt64LE(BigInt(start + size), 8)
  return Buffer.concat([record, locator])
}
