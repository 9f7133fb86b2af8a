import { statSync } from 'node:fs'
import { DatabaseLost } from '../../errors.ts'
import { fileIdentity, realPath } from './file-lock.ts'

/** A loss must be noticed within a second. */
const POLL_EVERY_MS = 500

export type FileWatch = ReturnType<typeof watchFile>

/**
 * Checks, off the request path, whether the paths still lead to the files that the server opened: SQLite keeps using a file that was deleted
 * or replaced.
 */
export function watchFile(path: string, onChange: (fault: DatabaseLost | undefined) => void) {
  // The path may be a link whose target changes, but SQLite's own files stay next to the first target.
  const real = realPath(path)
  /** SQLite keeps two more files next to the database while it is open. */
  const files = [path, `${real}-wal`, `${real}-shm`]
  const statsOfFiles = () => files.map((file) => statSync(file, { throwIfNoEntry: false }))
  const identities = statsOfFiles().map(fileIdentity)
  let fault: DatabaseLost | undefined

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
      return changed === -1 ? undefined : new DatabaseLost(missing(changed, found[changed] !== undefined))
    } catch (error) {
      return new DatabaseLost(`the database file cannot be reached (${(error as NodeJS.ErrnoException).code})`)
    }
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
