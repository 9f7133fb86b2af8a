import { type Stats, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { DatabaseLost } from '../../errors.ts'
import { isUnreadable } from '../faults.ts'
import { fileIdentity, realPath } from './file-lock.ts'

/** A loss must be noticed within a second. */
const POLL_EVERY_MS = 500

export type FileWatch = ReturnType<typeof watchFile>

const NEWEST_AUDIT_ENTRY = 'SELECT hash FROM audit ORDER BY id DESC LIMIT 1'

/**
 * Checks, off the request path, whether the database is still the file that the server opened. SQLite keeps using a file that was
 * deleted or replaced, and the cached pages of one that was overwritten. So the paths must lead to the same files, and if the file
 * changed without a commit, a new connection must find the same newest audit entry as `db`, which stays open and writes none. An
 * overwrite goes unnoticed if a commit falls into the same half second.
 */
export function watchFile(path: string, db: DatabaseSync, onChange: (fault: DatabaseLost | undefined) => void) {
  // The path may be a link whose target changes, but SQLite's own files stay next to the first target.
  const real = realPath(path)
  /** SQLite keeps two more files next to the database while it is open. */
  const files = [path, `${real}-wal`, `${real}-shm`]
  const statsOfFiles = () => files.map((file) => statSync(file, { throwIfNoEntry: false }))
  const identities = statsOfFiles().map(fileIdentity)
  const dataVersion = db.prepare('PRAGMA data_version')
  const currentVersion = () => (dataVersion.get() as { data_version: number }).data_version
  const newestOf = (from: DatabaseSync) => from.prepare(NEWEST_AUDIT_ENTRY).get()?.hash
  let known = { version: currentVersion(), newest: newestOf(db), checked: statSync(path) }
  let fault: DatabaseLost | undefined
  let isOverwritten = false

  function poll(): DatabaseLost | undefined {
    const found = detectFault()
    const isNews = (found === undefined) !== (fault === undefined)
    fault = found
    // A deleted file that is replaced later is the same loss.
    if (isNews) onChange(found)
    return found
  }

  function detectFault(): DatabaseLost | undefined {
    try {
      const found = statsOfFiles()
      const changed = found.findIndex((stats, i) => fileIdentity(stats) !== identities[i])
      // The original files may be put back.
      if (changed !== -1) return new DatabaseLost(missing(changed, found[changed] !== undefined))
      isOverwritten ||= isOther(found[0] as Stats)
    } catch (error) {
      const { syscall, code } = error as NodeJS.ErrnoException
      if (syscall !== undefined) return new DatabaseLost(`the database file cannot be reached (${code})`)
      isOverwritten ||= isUnreadable(error)
      // Otherwise the database is busy, and the next poll checks it.
    }
    return isOverwritten ? new DatabaseLost('the database file was truncated or overwritten') : undefined
  }

  function isOther(checked: Stats): boolean {
    const version = currentVersion()
    if (version !== known.version) known = { version, newest: newestOf(db), checked }
    if (checked.size === known.checked.size && checked.mtimeMs === known.checked.mtimeMs) return false
    using fresh = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    if (newestOf(fresh) !== known.newest && currentVersion() === version) return true
    known.checked = checked
    return false
  }

  const timer = setInterval(poll, POLL_EVERY_MS).unref()
  return {
    get fault() {
      return fault
    },
    poll,
    close: () => clearInterval(timer),
  }
}

const missing = (file: number, isReplaced: boolean) =>
  `the database${['', "'s -wal", "'s -shm"][file]} file was ${isReplaced ? 'replaced' : 'deleted'}`
