// On both engines: deleted rows are erased in each engine’s way.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { engineUnderTest } from '../support/database.ts'
import { acmeProgram, type Program } from '../support/program.ts'

const MARK = 'Zwiebelkuchen'

/** A second workspace, which must lose nothing, and traces of all kinds in the first. */
async function fill(vitrine: Program): Promise<{ id: string; keyId: string }> {
  const tasks = Array.from({ length: 300 }, (_, i) => ({
    id: `${MARK}-${i}`,
    title: `${MARK} ${i} ${'x'.repeat(200)}`,
  }))
  await vitrine.ok('workspace', 'create', '--name', 'Beta', '--slug', 'beta')
  for (const workspace of ['acme', 'beta']) {
    const own = tasks.map((task) => ({
      ...task,
      title: task.title.replace(MARK, workspace === 'acme' ? MARK : 'Beta'),
    }))
    const file = vitrine.writeFile(
      `${workspace}.json`,
      JSON.stringify(workspace === 'acme' ? own : own.map((task) => ({ ...task, id: task.id.replace(MARK, 'B') }))),
    )
    await vitrine.ok('task', 'sync', '--workspace', workspace, '--source', 'tracker', file)
    // The old titles become free space in the file.
    await vitrine.ok(
      'task',
      'import',
      '--workspace',
      workspace,
      vitrine.writeFile('i.json', JSON.stringify([{ id: `i-${workspace}`, title: 'y' }])),
    )
  }
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', `${MARK}@acme.example`, '--role', 'owner')
  await vitrine.ok('member', 'link', '--email', `${MARK}@acme.example`)
  const later = new Date(Date.now() + 3_600_000).toISOString()
  await vitrine.execute(
    `INSERT INTO passkeys (id, email, public_key, name, counter, created_at)
     VALUES ('p1', '${MARK.toLowerCase()}@acme.example', 'k', 'laptop', 0, '${later}')`,
    `INSERT INTO tickets (hash, kind, subject, detail, expires_at)
     VALUES ('h1', 'form', '${MARK.toLowerCase()}@acme.example', '{}', '${later}')`,
  )
  await vitrine.ok('member', 'add', '--workspace', 'beta', '--email', 'ada@beta.example', '--role', 'owner')
  await vitrine.ok('key', 'create', '--workspace', 'beta', '--label', 'kept')
  const key = await vitrine.json('key', 'create', '--workspace', 'acme', '--label', MARK)
  const server = await vitrine.serve()
  const headers = { authorization: `Bearer ${key.key}`, 'user-agent': `${MARK}/1.0` }
  for (const path of ['/tasks', '/workspace', '/tasks?key=x']) await fetch(server.url + path, { headers })
  await server.stop()
  return { id: key.workspaceId, keyId: key.id }
}

/** The tables that contain any of these words in any column. */
async function tablesWith(vitrine: Program, words: string[]): Promise<string[]> {
  const isSqlite = engineUnderTest() === 'sqlite'
  const tables = await vitrine.query<{ name: string }>(
    isSqlite
      ? `SELECT name FROM sqlite_schema WHERE type = 'table'`
      : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'vitrine' AND table_type = 'BASE TABLE'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const rows = JSON.stringify(await vitrine.query(`SELECT * FROM ${isSqlite ? '' : 'vitrine.'}"${name}"`))
    if (words.some((word) => rows.toLowerCase().includes(word.toLowerCase()))) found.push(name)
  }
  return found
}

test('--purge leaves nothing of a workspace in any table or anywhere in a SQLite file', async (t) => {
  const vitrine = await acmeProgram(t)
  const { id, keyId } = await fill(vitrine)
  const words = [MARK, id, keyId]
  const before = await tablesWith(vitrine, words)
  for (const table of ['list_items', 'members', 'api_keys', 'key_use', 'request_log', 'audit', 'passkeys', 'tickets'])
    assert.ok(before.includes(table), `${table} has traces before`)

  assert.match(
    await vitrine.fails(2, 'workspace', 'delete', 'acme', '--purge'),
    /this would delete acme with 301 tasks/,
  )
  const { code, stderr } = await vitrine.run('workspace', 'delete', 'acme', '--yes', '--purge')
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^20\S+Z Erased the keys, their use and the audit log of ws_\w+, by cli:\S+\.$/m)

  assert.deepEqual(await tablesWith(vitrine, words), [])
  if (engineUnderTest() === 'sqlite') {
    const file = String(vitrine.env.DATABASE_URL).replace('sqlite:', '')
    const bytes = readFileSync(file).toString('latin1').toLowerCase()
    assert.deepEqual(
      words.filter((word) => bytes.includes(word.toLowerCase())),
      [],
    )
  }
  assert.match(await vitrine.ok('audit', 'verify'), /^ok {4}beta: /)
  assert.equal((await vitrine.json('key', 'list', '--workspace', 'beta')).length, 1)
  assert.equal((await vitrine.jsonLines('task', 'list', '--workspace', 'beta', '--all')).length, 301)
})
