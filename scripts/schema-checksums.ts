import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const database = join(import.meta.dirname, '../src/database')

/** SHA-256 of each migration. */
export function schemaChecksums(): Record<string, string> {
  const files = globSync('{sqlite,postgres}/migrations/*.sql', { cwd: database }).sort()
  return Object.fromEntries(
    files.map((file) => [file.replaceAll('\\', '/'), hash('sha256', readFileSync(join(database, file)), 'hex')]),
  )
}

const FROZEN = new URL('../test/database/frozen.json', import.meta.url)

export const frozenChecksums = (): Record<string, string> => JSON.parse(readFileSync(FROZEN, 'utf8'))

/** What to do about each migration that is not as it was recorded. */
export const frozenFaults = (current: Record<string, string>, frozen: Record<string, string>): string[] =>
  Object.entries(frozen).flatMap(([name, checksum]) =>
    current[name] === checksum ? [] : `${name} was changed or removed: restore it, and write a new migration instead`,
  )
