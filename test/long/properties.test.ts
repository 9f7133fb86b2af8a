import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const ROUNDS = 10
const root = join(import.meta.dirname, '../..')
const groups = ['full', 'postgres'].map((folder) => join(root, 'test/groups', folder, 'properties.test.ts'))

for (let round = 0; round < ROUNDS; round++) {
  const seed = String((Date.now() + round) % 2 ** 31)
  test(`generated cases, PROPERTY_SEED=${seed}`, () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-timeout=600000', ...groups], {
      env: { ...env, PROPERTY_SEED: seed, PROPERTY_RUNS: 'all' },
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    })
    assert.equal(status, 0, stdout.slice(-20_000))
  })
}
