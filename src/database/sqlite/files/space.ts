import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Space } from '../../store.ts'
import { realPath } from './file-lock.ts'

/** Written when a kept backup was verified: a server knows neither its folder nor when the command runs. */
export const backupRecordOf = (path: string): string => `${realPath(path)}-backup`

export async function spaceOf(path: string): Promise<Space> {
  // The path may be a link to another disk.
  const real = realPath(path)
  const [file, log, disk, record] = await Promise.all([
    stat(real),
    stat(`${real}-wal`).catch(() => undefined),
    statfs(dirname(real)),
    stat(backupRecordOf(path)).catch(() => undefined),
  ])
  return {
    sizeBytes: file.size,
    walBytes: log?.size ?? 0,
    freeBytes: disk.bavail * disk.bsize,
    backupMs: record?.mtimeMs,
  }
}
