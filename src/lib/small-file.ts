import { closeSync, openSync, statSync } from 'node:fs'
import { fillBuffer } from './fill-buffer.ts'

interface Limits {
  maxBytes: number
  /** What can be read only once, or waits for whoever writes to it, is refused. */
  isRegular?: true
}

/** Reads a text that a person or an orchestrator wrote. Throws what is wrong with the file, without what is in it. */
export function readSmallFile(path: string, { maxBytes, isRegular }: Limits): string {
  let bytes: Buffer
  try {
    const stats = statSync(path)
    if (stats.isDirectory() || (isRegular && !stats.isFile())) throw new Error(`${path} must be a file`)
    bytes = readUpTo(path, maxBytes + 1)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === undefined ? error : new Error(`${path} cannot be read (${code})`, { cause: error })
  }
  if (bytes.length > maxBytes) throw new Error(`${path} is longer than ${maxBytes / 1024} KiB`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error(`${path} must be text in UTF-8`)
  }
}

function readUpTo(path: string, size: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(size)
    return buffer.subarray(0, fillBuffer(file, buffer))
  } finally {
    closeSync(file)
  }
}
