import { globSync } from 'node:fs'
import { test } from 'node:test'
import { skipWithoutPostgres } from '../../support/database.ts'

/** Runs test files again, as they are, on the other engine; but not those on which the engine has no influence at all. */
export async function runOnPostgres(pattern: string, { except = [] }: { except?: string[] } = {}): Promise<void> {
  const { skip } = skipWithoutPostgres()
  if (skip !== undefined) {
    test(`${pattern} on PostgreSQL`, { skip })
    return
  }
  process.env.TEST_ENGINE = 'postgres'
  const files = globSync(pattern, { cwd: import.meta.dirname }).sort()
  if (files.length === 0) throw new Error(`no test file matches ${pattern}`)
  for (const file of except) if (!files.includes(file)) throw new Error(`${file} is not there to be left out`)
  for (const file of files.filter((name) => !except.includes(name))) await import(new URL(file, import.meta.url).href)
}
