import { globSync } from 'node:fs'
import { test } from 'node:test'
import { skipWithoutPostgres } from '../../support/database.ts'

/** Runs test files again, as they are, on the other engine. */
export async function runOnPostgres(pattern: string): Promise<void> {
  const { skip } = skipWithoutPostgres()
  if (skip !== undefined) {
    test(`${pattern} on PostgreSQL`, { skip })
    return
  }
  process.env.TEST_ENGINE = 'postgres'
  const files = globSync(pattern, { cwd: import.meta.dirname }).sort()
  if (files.length === 0) throw new Error(`no test file matches ${pattern}`)
  for (const file of files) await import(new URL(file, import.meta.url).href)
}
