import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { engines } from '../support/database.ts'
import { filesForBoth, filesForOnce } from '../support/groups.ts'

const ROUNDS = 10
const root = join(import.meta.dirname, '../..')
const generatesCases = (file: string) => /\bruns\(/.test(readFileSync(join(root, file), 'utf8'))

// Without a PROPERTY_SEED, each run generates other cases, and a failure shows its seed.
for (let round = 1; round <= ROUNDS; round++)
  for (const engine of engines)
    test(`generated cases on ${engine}, round ${round}`, () => {
      const files = (engine === 'sqlite' ? filesForOnce() : filesForBoth()).filter(generatesCases)
      const { NODE_TEST_CONTEXT: _, ...env } = process.env
      const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-timeout=600000', ...files], {
        cwd: root,
        env: { ...env, TEST_ENGINE: engine, PROPERTY_RUNS: 'all' },
        encoding: 'utf8',
        maxBuffer: 100_000_000,
      })
      assert.equal(status, 0, stdout.slice(-20_000))
    })
