import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A file system in memory, where a commit waits for no disk. Containers often have a small one. */
const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 31

/** Where folders that live for a test are quickest. */
export const quickestFolder = (): string => (hasRoom(MEMORY) ? MEMORY : tmpdir())

/** A folder that goes away with the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(quickestFolder(), 'vitrine-test-'))
  t.after(() => {
    allowRemoval(folder)
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** Only root can empty a folder that a test made read-only. */
function allowRemoval(folder: string): void {
  if (process.getuid?.() === 0) return
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) allowRemoval(join(folder, entry.name))
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ENOUGH_BYTES
  } catch {
    return false
  }
}
