/**
 * What databases were made with stays as it is. Whoever changes a migration adds another file instead; whoever changes the
 * table of a resource raises its version. Then the new line goes into frozen.json; no line of it is ever changed.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tableSchema as postgres } from '../../src/database/postgres/table-schema.ts'
import { tableSchema as sqlite } from '../../src/database/sqlite/table-schema.ts'
import { tablesOf } from '../../src/database/table.ts'
import { schemaSql } from '../../src/database/table-changes.ts'
import { resources } from '../../src/resources/index.ts'

const src = join(import.meta.dirname, '../../src/database')
const frozen: Record<string, string> = JSON.parse(readFileSync(new URL('./frozen.json', import.meta.url), 'utf8'))

const files = globSync('{sqlite,postgres}/**/*.sql', { cwd: src }).map((file) => file.replaceAll('\\', '/'))

for (const file of new Set([...files, ...Object.keys(frozen).filter((name) => name.endsWith('.sql'))]))
  test(`${file} is as it was when it came`, () => {
    assert.equal(hash('sha256', readFileSync(join(src, file), 'utf8'), 'hex'), frozen[file])
  })

for (const [engine, tableSchema] of Object.entries({ sqlite, postgres }))
  for (const table of tablesOf(resources)) {
    const name = `${engine}/${table.name} ${table.version}`
    test(`the schema of ${name} is as it was when it came: another one has a higher version`, () => {
      assert.equal(hash('sha256', schemaSql(tableSchema(table)), 'hex'), frozen[name])
    })
  }
