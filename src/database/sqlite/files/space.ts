import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Space } from '../../store.ts'
import { realPath } from './file-lock.ts'

export async function spaceOf(path: string): Promise<Required<Space>> {
  // The path may be a link to another disk.
  const real = realPath(path)
  const [file, log, disk] = await Promise.all([
    stat(real),
    stat(`${real}-wal`).catch(() => undefined),
    statfs(dirname(real)),
  ])
  return { sizeBytes: file.size, walBytes: log?.size ?? 0, freeBytes: disk.bavail * disk.bsize }
}
