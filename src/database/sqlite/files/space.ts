import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Space } from '../../store.ts'
import { realPath } from './file-lock.ts'

export async function spaceOf(path: string): Promise<Required<Space>> {
  const [file, log, disk] = await Promise.all([
    stat(path),
    stat(`${realPath(path)}-wal`).catch(() => undefined),
    statfs(dirname(path)),
  ])
  return { sizeBytes: file.size, walBytes: log?.size ?? 0, freeBytes: disk.bavail * disk.bsize }
}
