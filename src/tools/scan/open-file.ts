import type { Dirent } from 'node:fs'

/** Few calls for large files, and little memory. */
export const CHUNK_BYTES = 1024 * 1024

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

/** Of what is neither a file nor a folder. */
export function kindOfEntry(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'symbolic link'
  if (entry.isSocket()) return 'socket'
  return entry.isFIFO() ? 'pipe' : 'device'
}
