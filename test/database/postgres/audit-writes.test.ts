import assert from 'node:assert/strict'
import { testWithPostgres as test } from '../../support/database.ts'
import { withClient } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'
import { documented, startWithRoles } from './documented-roles.ts'

test('nothing that the server’s role may write keeps access from ending', async (t) => {
  const { url, as, asOperator, createKey, workspace } = await startWithRoles(t)
  await asOperator(documented('settings-writes.sql'))
  const vitrine = program(t, { DATABASE_URL: url })
  const [revoked, paused] = [await createKey(), await createKey()]
  for (const email of ['ana@acme.example', 'ines@acme.example'])
    await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', email, '--role', 'owner')

  await withClient(as('vitrine_server'), async (client) => {
    const columns = 'at, workspace_id, actor, action, subject, detail, number, previous_hash, hash'
    const insert = (number: string, previousHash = 'hash') => `
      INSERT INTO vitrine.audit (${columns})
      SELECT '2026-11-15T09:00:00Z', workspace_id, 'x', 'y', 'z', '{}', ${number}, ${previousHash}, 'forged'
      FROM vitrine.audit_heads WHERE workspace_id = '${workspace.id}'`
    for (const statement of [insert('number + 1', `'other'`), insert('number + 2'), insert('9223372036854775807')])
      await assert.rejects(client.query(statement), /must follow the last one of its chain/, statement)
    for (const change of ['number = number + 1', 'number = 9223372036854775807', `hash = 'other'`])
      await assert.rejects(client.query(`UPDATE vitrine.audit_heads SET ${change}`), /can only become its last entry/)
    // Otherwise it could take the ids of the next entries.
    await assert.rejects(
      client.query(`INSERT INTO vitrine.audit (id, ${columns}) SELECT id + 1, ${columns} FROM vitrine.audit`),
      /permission denied/,
    )
    await client.query(insert('number + 1'))
    await client.query('UPDATE vitrine.revisions SET number = 9223372036854775807')
  })

  for (const command of [
    ['key', 'pause', paused.id],
    ['key', 'revoke', revoked.id],
    ['member', 'remove', '--workspace', 'acme', '--email', 'ana@acme.example'],
    ['workspace', 'archive', 'acme'],
  ])
    await vitrine.ok(...command)
  const { stdout } = await vitrine.run('audit', 'verify')
  assert.match(stdout, /^FAIL {2}acme: entry \d+ .*changed: its content does not match its hash/, 'the forged entry')
  await vitrine.ok('workspace', 'delete', 'acme', '--yes', '--purge')
})
