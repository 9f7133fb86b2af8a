import { basename, join } from 'node:path'
import { test } from 'node:test'
import { skipWithoutPostgres } from '../../../support/database.ts'
import { filesForBoth, groupOf } from '../../../support/second-engine.ts'

/** Runs the test files of the group that a file is named after again, as they are, on PostgreSQL. */
export async function runOnPostgres(caller: string): Promise<void> {
  const name = basename(caller, '.test.ts')
  const { skip } = skipWithoutPostgres()
  if (skip !== undefined) return void test(`${name} on PostgreSQL`, { skip })
  process.env.TEST_ENGINE = 'postgres'
  const root = join(import.meta.dirname, '../../../..')
  for (const file of filesForBoth()) if (groupOf(file) === name) await import(join(root, file))
}
