import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { UserError } from './user-error.ts'

/** A descriptor that is closed at the end of its scope. */
export function openedFile(path: string, flags: string | number, mode?: number) {
  const fd = openSync(path, flags, mode)
  return { fd, [Symbol.dispose]: () => closeSync(fd) }
}

interface Limits {
  maxBytes: number
  /** Rejects files that can be read only once, or that block until there is a writer. */
  isRegular?: true
}

/** Errors describe the problem, but never include the file's content. */
export function readSmallFile(path: string, { maxBytes, isRegular }: Limits): string {
  let bytes: Buffer
  try {
    bytes = firstBytes(path, maxBytes + 1, isRegular)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === undefined ? error : new UserError(`${path} cannot be read (${code})`, { cause: error })
  }
  if (bytes.length > maxBytes) throw new UserError(`${path} is longer than ${maxBytes / 1024} KiB`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UserError(`${path} must be text in UTF-8`)
  }
}

/** Does not wait for the other end of a pipe that is going to be rejected. */
function firstBytes(path: string, size: number, isRegular: true | undefined): Buffer {
  using file = openedFile(path, constants.O_RDONLY | (isRegular ? constants.O_NONBLOCK : 0))
  const stats = fstatSync(file.fd)
  if (stats.isDirectory() || (isRegular && !stats.isFile())) throw new UserError(`${path} must be a file`)
  const buffer = Buffer.alloc(size)
  return buffer.subarray(0, fillBuffer(file.fd, buffer))
}

/** Loops, because a pipe may return less at a time. */
function fillBuffer(file: number, buffer: Buffer): number {
  let filled = 0
  while (filled < buffer.length) {
    const read = readSync(file, buffer, filled, buffer.length - filled, null)
    if (read === 0) break
    filled += read
  }
  return filled
}
