// On both engines: one smoke of the audit commands.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { addMember, createWorkspace } from '../support/changes.ts'
import { engineUnderTest, testOnce } from '../support/database.ts'
import { documentedCode } from '../support/documented.ts'
import { keysIn } from '../support/keys.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { acmeProgram, program } from '../support/program.ts'

async function withEntries(t: TestContext) {
  const DATABASE_URL = await migratedDatabaseUrl(t)
  const vitrine = program(t, { DATABASE_URL })
  const store = await openOperatorStore(parseDatabaseUrl(DATABASE_URL), resources, { create: true })
  const [first, second] = [Date.now() - 1000, Date.now()].map((at) => new Date(at).toISOString()) as [string, string]
  await createWorkspace(store, { name: 'acme', slug: 'acme' }, 'test', first)
  await createWorkspace(store, { name: 'globex', slug: 'globex' }, 'test', second)
  const newKey = { label: 'x', permissions: permissionsOf(resources), quota: null, expiresAt: null }
  await keysIn(store).create('acme', newKey)
  await addMember(store, 'acme', { email: 'a@acme.example', role: 'owner' }, 'test', second)
  await store.close()
  return {
    vitrine,
    findings: async (...args: string[]) => {
      const { code } = await vitrine.run('audit', 'verify', ...args)
      return { code, found: await vitrine.jsonLines('audit', 'verify', ...args) }
    },
    /** As the database's owner, who can disable its triggers. */
    tamper: (sql: string) =>
      vitrine.execute(
        engineUnderTest() === 'postgres'
          ? `ALTER TABLE audit DISABLE TRIGGER USER; ${sql}`
          : `DROP TRIGGER IF EXISTS audit_unchanging; DROP TRIGGER IF EXISTS audit_kept; ${sql}`,
      ),
  }
}

test('audit verify proves every chain and prints its head, which can be compared later', async (t) => {
  const { vitrine, findings } = await withEntries(t)
  const { code, found } = await findings()
  assert.equal(code, 0)
  assert.deepEqual(
    found.map(({ workspace, ok, entries, first, fault }) => ({ workspace, ok, entries, first, fault })),
    [
      { workspace: 'acme', ok: true, entries: 3, first: 1, fault: null },
      { workspace: 'globex', ok: true, entries: 1, first: 1, fault: null },
    ],
  )
  const { number, hash } = found[0].head
  const [newest] = await vitrine.jsonLines('audit', '--workspace', 'acme')
  assert.deepEqual([newest.number, newest.hash], [number, hash])
  const lines = await vitrine.ok('audit', 'verify')
  assert.equal(lines.split('\n')[0], `ok    acme: 3 entries, head 3:${hash}`)

  await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'later')
  const expect = (text: string, ...more: string[]) => vitrine.run('audit', 'verify', '--expect', text, ...more)
  assert.equal((await expect(`3:${hash}`, '--workspace', 'acme')).code, 0)
  const other = await expect(`2:${hash}`, '--workspace', 'acme')
  assert.equal(other.code, 1)
  assert.match(
    other.stdout,
    /^FAIL {2}acme: entry 2 \(id \d+, .+Z, key\.created by test\), changed: it is not the expected entry/,
  )
  assert.match(
    (await expect(`9:${hash}`, '--workspace', 'acme')).stdout,
    /entry 5, cut off: the entries 5 to 9 are missing/,
  )
  assert.equal((await expect(`3:${hash}`)).code, 2)
  assert.equal((await expect('3', '--workspace', 'acme')).code, 2)
  assert.equal((await vitrine.run('audit', 'verify', '--workspace', 'nowhere')).code, 1)

  await vitrine.ok('workspace', 'delete', 'globex', '--yes')
  const { workspaceId, head } = found[1]
  const deleted = await expect(`1:${head.hash}`, '--workspace', workspaceId)
  assert.match(deleted.stdout, new RegExp(`^ok {4}${workspaceId} \\(deleted\\): 2 entries, head 2:`))
})

test('audit verify names the workspace and the first entry that does not match', async (t) => {
  const { vitrine, findings, tamper } = await withEntries(t)
  await tamper(`UPDATE audit SET actor = 'mallory' WHERE action = 'key.created'`)
  const { code, found } = await findings()
  assert.equal(code, 1)
  const [acme, globex] = found
  assert.deepEqual([acme.ok, acme.entries, acme.fault.kind, acme.fault.number], [false, 1, 'changed', 2])
  assert.match(acme.fault.entry.at, /^\d{4}-\d\d-\d\dT/)
  assert.deepEqual([globex.ok, globex.fault], [true, null])
  const { stdout } = await vitrine.run('audit', 'verify', '--workspace', 'acme')
  assert.match(
    stdout,
    /^FAIL {2}acme: entry 2 \(id \d+, .+, key\.created by mallory\), changed: its content does not match its hash\n$/,
  )
  assert.equal((await vitrine.run('audit', 'verify', '--workspace', 'globex')).code, 0)
})

test('a log that was truncated, and one that is gone, are reported', async (t) => {
  const { vitrine, tamper } = await withEntries(t)
  const { stdout: noted } = await vitrine.run('audit', 'verify', '--workspace', 'globex', '--json')
  await tamper(`DELETE FROM audit WHERE action = 'member.added'`)
  await tamper(`DELETE FROM audit WHERE number = 1 AND subject = '${JSON.parse(noted).workspaceId}'`)
  const { code, stdout } = await vitrine.run('audit', 'verify')
  assert.equal(code, 1)
  assert.equal(
    stdout,
    'FAIL  acme: entry 3, cut off: the entry is missing\nFAIL  globex: entry 1, cut off: the entry is missing\n',
  )
  await tamper(`DELETE FROM audit_heads WHERE workspace_id = '${JSON.parse(noted).workspaceId}'`)
  assert.equal((await vitrine.run('audit', 'verify', '--workspace', 'globex')).stdout, 'ok    globex: no entries\n')
  const { head } = JSON.parse(noted)
  const expected = ['--workspace', 'globex', '--expect', `${head.number}:${head.hash}`]
  assert.equal((await vitrine.run('audit', 'verify', ...expected)).code, 1)
})

testOnce('audit without verify requires --workspace, and a workspace may be named verify', async (t) => {
  const vitrine = program(t)
  await vitrine.ok('workspace', 'create', '--name', 'V', '--slug', 'verify')
  assert.match(await vitrine.fails(2, 'audit'), /^vitrine: required option '--workspace <slug>' not specified\n/)
  assert.match(
    await vitrine.ok('audit', '--workspace', 'verify'),
    /^TIME +ACTOR +ACTION +SUBJECT +DETAIL\n.*workspace\.created/,
  )
  assert.match(await vitrine.ok('audit', 'verify', '--workspace', 'verify'), /^ok {4}verify: 1 entry,/)
})

testOnce('the documented script verifies what audit --json prints', async (t) => {
  const { vitrine } = await withEntries(t)
  const script = join(vitrine.folder, 'verify-export.mjs')
  writeFileSync(script, documentedCode('docs/audit.md', 'js'))
  const input = await vitrine.ok('audit', '--workspace', 'acme', '--json')
  const { stdout, stderr } = spawnSync(process.execPath, [script], { input, encoding: 'utf8' })
  assert.match(stdout, /^3 entries fit; the last is 3:[0-9a-f]{64}\n$/, stderr)
})

test('the audit trail shows who did what, newest first', async (t) => {
  const vitrine = await acmeProgram(t)
  const { id } = await vitrine.json('key', 'create', '--workspace', 'acme', '--label', 'x')
  await vitrine.ok('key', 'rotate', id)
  await vitrine.ok('key', 'revoke', id)
  const trail = await vitrine.jsonLines('audit', '--workspace', 'acme')
  assert.deepEqual(
    trail.map(({ action }) => action),
    ['key.revoked', 'key.created', 'key.rotated', 'key.created', 'workspace.created'],
  )
  assert.ok(trail.slice(0, -1).every(({ actor }) => actor.startsWith('cli:')))
  assert.equal(trail[0].subject, id)
})
