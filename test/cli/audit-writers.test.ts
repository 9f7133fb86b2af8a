// On both engines: writers of one chain wait for each other.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connectElsewhere, engineUnderTest } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { program } from '../support/program.ts'

const WRITER = join(import.meta.dirname, './audit-writer-main.ts')
const SLUGS = ['acme', 'globex']
const CHANGES = 45

/** Starts a process for each list of arguments; when all have opened the database, they begin. */
async function allAtOnce(t: TestContext, lists: string[][]): Promise<void> {
  const children = lists.map((args) => spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }))
  t.after(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  const ends = children.map((child) => once(child, 'close'))
  await Promise.race([Promise.all(children.map((child) => once(child.stdout, 'data'))), ...ends])
  for (const child of children) child.stdin.end()
  assert.deepEqual(
    (await Promise.all(ends)).map(([code]) => code),
    children.map(() => 0),
  )
}

test('concurrent processes write one chain per workspace, without a gap or a fork', async (t) => {
  const DATABASE_URL = await migratedDatabaseUrl(t)
  const vitrine = program(t, { DATABASE_URL })
  for (const slug of SLUGS) await vitrine.ok('workspace', 'create', '--name', slug, '--slug', slug)
  const names = ['a', 'b', 'c', 'd'].slice(0, engineUnderTest() === 'postgres' ? 4 : 2)
  await allAtOnce(
    t,
    names.map((name) => [WRITER, DATABASE_URL, name, String(CHANGES), ...SLUGS]),
  )
  const elsewhere = await connectElsewhere(DATABASE_URL, t)
  const rows = await elsewhere.all<{ workspace_id: string; number: number }>(
    'SELECT workspace_id, number FROM audit ORDER BY workspace_id, number',
  )
  const chains = Map.groupBy(rows, (row) => row.workspace_id)
  assert.equal(chains.size, SLUGS.length)
  for (const chain of chains.values()) {
    assert.deepEqual(
      chain.map(({ number }) => Number(number)),
      chain.map((_, i) => i + 1),
    )
  }
  // For each writer: 2 members, 14 sign-ins to both workspaces, 29 keys made and revoked; and the two workspaces.
  assert.equal(rows.length, names.length * (2 + 14 * 2 + 29 * 2) + SLUGS.length)
  const found = await vitrine.jsonLines('audit', 'verify')
  assert.deepEqual(
    found.map(({ ok }) => ok),
    [true, true],
  )
})
