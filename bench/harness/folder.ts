import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder that goes when the program does. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
