import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HealthFinding } from '../store.ts'

/** Checks the files before the database is opened, because opening an empty one would fill it. */
export function examineFiles(path: string): HealthFinding[] {
  if (!existsSync(path) || !statSync(path).isFile()) return []
  return [content(path), access(path)]
}

function content(path: string): HealthFinding {
  const ok = statSync(path).size > 0
  if (ok) return { check: 'database file', ok, detail: path }
  const hint = 'restore a backup, or delete it if there never was any data'
  return { check: 'database file', ok, detail: `${path} is empty`, hint }
}

/** Who can read the file can read every workspace; who can write to the folder can replace the file. */
function access(path: string): HealthFinding {
  const finding = (ok: boolean, detail: string, hint?: string) => ({
    ...{ check: 'file permissions', ok, detail },
    ...(hint !== undefined && { hint }),
  })
  if (process.platform === 'win32') return finding(true, 'not checked on Windows')
  const open = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file) && isOpen(file, 0o077))
  if (open.length > 0)
    return finding(false, `others may read or write ${open.join(', ')}`, `run: chmod 600 ${open.map(quoted).join(' ')}`)
  const folder = dirname(path)
  const closed = [path, folder].find((file) => !mayWrite(file))
  if (closed !== undefined)
    return finding(false, `this user may not write ${closed}`, 'run as its owner, or give it the permission')
  if (isOpen(folder, 0o022))
    return finding(false, `others may put files into ${folder}`, `run: chmod go-w ${quoted(folder)}`)
  return finding(true, 'its owner alone may read and write it')
}

const isOpen = (file: string, bits: number) => (statSync(file).mode & bits) !== 0

function mayWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
