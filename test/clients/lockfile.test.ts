import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

for (const folder of ['.', 'test/clients/programs', 'client', 'test/client/programs'])
  test(`every package in the lockfile of ${folder} has a checksum, and comes from the public registry`, () => {
    const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; integrity?: string; inBundle?: boolean }>
    }
    const { '': _project, ...locked } = packages
    assert.ok(Object.keys(locked).length > 10)
    for (const [path, { resolved, integrity, inBundle = false }] of Object.entries(locked)) {
      if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path)
      // What another package brings with it is covered by the checksum of that.
      if (!inBundle) assert.match(integrity ?? 'none', /^sha512-/, path)
    }
  })
