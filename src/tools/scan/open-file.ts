import { fstatSync, readSync } from 'node:fs'
import type { RandomAccess } from '../../lib/archives/zip.ts'
import { fillBuffer } from '../../lib/fill-buffer.ts'

/** Few calls for large files, and little memory. */
export const CHUNK_BYTES = 1024 * 1024

/** From where the file was read last. */
export async function* restOf(file: number): AsyncGenerator<Buffer> {
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const length = fillBuffer(file, buffer)
    if (length === 0) return
    yield buffer.subarray(0, length)
  }
}

export const randomAccess = (file: number): RandomAccess => ({
  size: fstatSync(file).size,
  async *range(start, end) {
    for (let at = start; at < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at))
      const length = readSync(file, buffer, 0, buffer.length, at)
      if (length === 0) return
      at += length
      yield buffer.subarray(0, length)
    }
  },
})

/** Why a file could not be read; undefined if the error is not of the operating system. */
export function readFailure(error: unknown): string | undefined {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  return syscall === undefined ? undefined : (failures[code] ?? `cannot be read (${code})`)
}

const failures: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  ELOOP: 'is a symbolic link, or became one while it was read',
  ENAMETOOLONG: 'has a path that is too long',
  EIO: 'cannot be read: the disk failed',
}
