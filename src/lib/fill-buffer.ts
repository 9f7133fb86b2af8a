import { readSync } from 'node:fs'

/** Reads until the buffer is full or the file ends: some file systems, and pipes, give less at a time. */
export function fillBuffer(file: number, buffer: Buffer): number {
  let filled = 0
  while (filled < buffer.length) {
    const read = readSync(file, buffer, filled, buffer.length - filled, null)
    if (read === 0) break
    filled += read
  }
  return filled
}
