import { readSync } from 'node:fs'

/**
 * Reads until the buffer is full or the file ends: some file systems, and pipes, give less at a time. Without a position, it
 * continues where the last read ended.
 */
export function fillBuffer(file: number, buffer: Buffer, position?: number): number {
  let filled = 0
  while (filled < buffer.length) {
    const read = readSync(
      file,
      buffer,
      filled,
      buffer.length - filled,
      position === undefined ? null : position + filled,
    )
    if (read === 0) break
    filled += read
  }
  return filled
}
