import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { skipWithoutPostgres } from './database.ts'
import { filesForBoth, filesForOnce, groupOf } from './groups.ts'

const root = join(import.meta.dirname, '../..')

/** Runs the test files of the group that the entry in test/groups is named after, in this process. */
const entry = process.argv[1] ?? ''
const name = basename(entry, '.test.ts')
const isAgain = basename(dirname(entry)) === 'postgres'
const { skip } = skipWithoutPostgres()

/**
 * Generates the same cases in every run; test/long/properties.test.ts generates others. CI reports the case that failed as it is,
 * because finding a smaller one may take longer than the test's timeout.
 */
process.env.PROPERTY_SEED ??= '20261115'
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED), endOnFailure: process.env.CI !== undefined })

if (isAgain && skip !== undefined) test(`${name} on PostgreSQL`, { skip })
else {
  if (isAgain) process.env.TEST_ENGINE = 'postgres'
  const files = isAgain ? filesForBoth() : filesForOnce()
  for (const file of files) if (groupOf(file, isAgain) === name) await runFile(join(root, file))
}

/** A folder with packages of its own has them from `npm run test:install`. */
async function runFile(path: string): Promise<void> {
  const [own, installed] = ['package.json', 'node_modules'].map((part) => existsSync(join(dirname(path), part)))
  if (!own || installed) await import(path)
  else test(basename(path), { skip: 'its packages are not installed: npm run test:install' })
}
