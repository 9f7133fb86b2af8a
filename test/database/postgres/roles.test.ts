import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { pruneAudit } from '../../../src/audit/retention.ts'
import { verifyChain } from '../../../src/audit/verify.ts'
import { openSettingsStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { memberIdOf } from '../../../src/members/records.ts'
import { detect } from '../../../src/notices/detect.ts'
import { claim } from '../../../src/notices/outbox.ts'
import { resources } from '../../../src/resources/index.ts'
import { addMember } from '../../support/changes.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { startOperator } from '../../support/operator.ts'
import { Browser, createKeyOnPage, fieldOf, KEYS } from '../../support/person.ts'
import { startPostgres, withClient } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'
import { startReplicas } from '../../support/replicas.ts'
import { waitUntil } from '../../support/wait.ts'

const sql = (file: string) => readFileSync(new URL(`../../../docs/sql/${file}`, import.meta.url), 'utf8')

/** A server of its own, with the documented roles: they belong to a whole server, not to a database. */
async function startWithRoles(t: TestContext) {
  const database = await startPostgres()
  t.after(() => database.remove())
  await withClient(database.url, (admin) => admin.query(sql('roles.sql')))
  const urlOf = (role: string) => database.url.replace('postgres@', `${role}@`)
  return { operatorUrl: urlOf('vitrine_operator'), serverUrl: urlOf('vitrine_server') }
}

test('with the documented roles the server serves, counts and records, and can change nothing else', async (t) => {
  const { operatorUrl, serverUrl } = await startWithRoles(t)

  await assert.rejects(
    startReplicas(t, 1, { DATABASE_URL: serverUrl }),
    /run 'vitrine migrate' with the operator's role/,
  )
  const operator = await startOperator(t, operatorUrl)
  await withClient(operatorUrl, (client) => client.query(sql('server-writes.sql')))
  const { token, id } = await operator.createKey()
  await operator.addTasks([
    { id: 'one', title: 'One' },
    { id: 'asleep', title: 'Asleep', snoozedUntil: '2099-01-01T00:00:00.000Z' },
  ])

  const [replica] = await startReplicas(t, 1, { DATABASE_URL: serverUrl })
  const ask = () => fetch(`${replica?.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })
  const response = await ask()
  assert.equal(response.status, 200)
  assert.deepEqual(
    ((await response.json()) as { tasks: { id: string }[] }).tasks.map(({ id }) => id),
    ['one'],
  )
  await operator.keys.revoke(id)
  assert.equal((await ask()).status, 401)
  const key = async () => (await operator.keys.list('acme'))[0]
  await waitUntil(async () => (await key())?.useCount === 1 && (await key())?.lastRefusal?.why === 'revoked')
  assert.equal((await fetch(`${replica?.url}/settings`)).status, 404, 'the settings page is off')

  const attempts = [
    `INSERT INTO vitrine.list_items (workspace_id, list, id, seq, revision, body) VALUES ('x', 'tasks', 'y', 1, 1, '{}')`,
    `UPDATE vitrine.list_items SET body = '{}'`,
    'UPDATE vitrine.list_items SET shown_from = NULL',
    'DELETE FROM vitrine.list_items',
    'TRUNCATE vitrine.list_items',
    `UPDATE vitrine.stored_lists SET shape = ''`,
    `UPDATE vitrine.declared_resources SET sunset = NULL`,
    `UPDATE vitrine.workspaces SET name = 'changed'`,
    'DELETE FROM vitrine.workspaces',
    'UPDATE vitrine.revisions SET number = 1',
    `UPDATE vitrine.api_keys SET revoked_at = NULL`,
    `UPDATE vitrine.api_keys SET paused_at = NULL`,
    `UPDATE vitrine.api_keys SET label = 'x'`,
    `INSERT INTO vitrine.api_keys SELECT * FROM vitrine.api_keys`,
    'DELETE FROM vitrine.api_keys',
    'DELETE FROM vitrine.quota_windows',
    `INSERT INTO vitrine.members VALUES ('x', 'a@b.example', 'owner', now())`,
    'DELETE FROM vitrine.audit',
    `INSERT INTO vitrine.audit (at, workspace_id, actor, action, subject, detail) VALUES (now(), '', '', '', '', '')`,
    `INSERT INTO vitrine.audit_heads (workspace_id, number, hash) VALUES ('x', 1, '')`,
    'UPDATE vitrine.audit_heads SET number = 1',
    'DELETE FROM vitrine.audit_heads',
    'UPDATE vitrine.sources SET failure = NULL',
    'DELETE FROM vitrine.key_use',
    'DELETE FROM vitrine.request_log',
    'UPDATE vitrine.request_log SET ms = 0',
    `INSERT INTO vitrine.sessions VALUES ('x', 'a@b.example', now(), now())`,
    `INSERT INTO vitrine.tickets VALUES ('x', 'link', 'a@b.example', '{}', now())`,
    `INSERT INTO vitrine.connection_tokens VALUES ('x', 'y', 'access', now())`,
    'UPDATE vitrine.connection_tokens SET salt = NULL',
    'DELETE FROM vitrine.connection_tokens',
    `INSERT INTO vitrine.notice_settings VALUES ('x', '', NULL, NULL, '', 0, now(), now())`,
    'UPDATE vitrine.notice_settings SET webhook_url = NULL',
    `INSERT INTO vitrine.notice_recipients VALUES ('x', 'a@b.example', '')`,
    'DELETE FROM vitrine.notice_recipients',
    'DELETE FROM vitrine.notice_events',
    'DELETE FROM vitrine.notice_deliveries',
    'CREATE TABLE vitrine.more (a int)',
    'DROP TABLE vitrine.list_items',
    'ALTER TABLE vitrine.list_items DISABLE TRIGGER ALL',
  ]
  const refused = (list: string[]) =>
    withClient(serverUrl, async (client) => {
      for (const attempt of list) await assert.rejects(client.query(attempt), { code: '42501' }, attempt)
    })
  await refused(attempts)

  const ofBefore = sql('settings-writes.sql').replace(/^GRANT .* ON vitrine\.audit_heads .*$/m, '')
  await withClient(operatorUrl, (client) => client.query(ofBefore))
  const [withoutHeads] = await startReplicas(t, 1, { DATABASE_URL: serverUrl })
  assert.equal((await fetch(`${withoutHeads?.url}/settings`)).status, 404, 'off, for it could not write the audit')
  await withClient(operatorUrl, (client) => client.query(sql('settings-writes.sql')))
  const [settings] = await startReplicas(t, 1, { DATABASE_URL: serverUrl })
  const now = new Date().toISOString()
  await addMember(operator.store, 'acme', { email: 'owner@acme.example', role: 'owner' }, 'test', now)
  const browser = new Browser(settings?.url ?? '')
  await browser.signIn(operator.store, 'owner@acme.example')
  const made = await createKeyOnPage(browser)
  assert.equal(made.response.status, 200)
  const madeId = /key_[0-9a-f]{18}/.exec(made.response.text)?.[0]
  const csrf = fieldOf(made.response, 'csrf')
  const rotation = { csrf, once: 'A'.repeat(43), overlap: '1h' }
  assert.equal((await browser.post(`${KEYS}/${madeId}/rotate`, rotation)).status, 200)
  assert.equal((await browser.post(`${KEYS}/${madeId}/revoke`, { csrf })).status, 303)
  const members = '/settings/workspaces/acme/members'
  const ana = `${members}/${memberIdOf({ email: 'ana@acme.example' })}`
  const invitation = { csrf, once: 'B'.repeat(43), email: 'ana@acme.example', role: 'member' }
  assert.equal((await browser.post(members, invitation)).status, 200)
  assert.equal((await browser.post(`${ana}/role`, { csrf, role: 'admin' })).status, 303)
  assert.equal((await browser.post(`${ana}/remove`, { csrf })).status, 303)
  const WORKSPACE = '/settings/workspaces/acme/workspace'
  const version = fieldOf(await browser.get(WORKSPACE), 'version')
  const details = { csrf, version, name: 'Acme Ltd', timezone: 'Europe/Lisbon', currency: 'EUR', country: 'PT' }
  assert.equal((await browser.post(WORKSPACE, details)).status, 303)
  assert.equal((await browser.post(`${WORKSPACE}/archive`, { csrf })).status, 303)
  assert.equal((await browser.post(`${WORKSPACE}/restore`, { csrf })).status, 303)
  assert.match((await browser.get(WORKSPACE)).text, /value="Acme Ltd".*No sources yet/s)
  const NOTICES = '/settings/workspaces/acme/notices'
  const opened = { csrf, version: fieldOf(await browser.get(NOTICES), 'version') }
  const chosen = { kinds: ['member'], recipients: ['owner@acme.example'], webhook: 'https://hook.example/' }
  assert.equal((await browser.post(NOTICES, { ...opened, ...chosen })).status, 303)
  assert.equal((await browser.post(`${NOTICES}/test`, { csrf })).status, 303)
  const serverStore = await openSettingsStore(parseDatabaseUrl(serverUrl), resources)
  assert.ok(serverStore)
  await addMember(operator.store, 'acme', { email: 'late@acme.example', role: 'admin' }, 'test', now)
  await detect(serverStore, true, { isStopped: () => false, onFailure: assert.fail })
  assert.equal((await claim(serverStore, 'webhook')).length, 2, 'the test, and the new member')
  await serverStore.close()
  assert.equal((await browser.post('/settings/sign-out', { csrf })).status, 303)
  const stillRefused = attempts.filter(
    (attempt) =>
      !/INTO vitrine\.(audit|sessions|tickets|api_keys|members)|(api_keys|audit_heads|workspaces|revisions) SET|connection_tokens|FROM vitrine.request_log|notice_/.test(
        attempt,
      ),
  )
  // What it may change of a key, it may change only so that the key ends.
  const { id: endedId } = await operator.createKey()
  await withClient(serverUrl, async (client) => {
    await client.query(`UPDATE vitrine.api_keys SET expires_at = now() + interval '1 day' WHERE id = '${endedId}'`)
    await client.query(`UPDATE vitrine.api_keys SET expires_at = now() - interval '1 day' WHERE id = '${endedId}'`)
    await client.query(`UPDATE vitrine.api_keys SET retires_at = now() - interval '1 day' WHERE id = '${endedId}'`)
    for (const [attempt, message] of [
      [`UPDATE vitrine.api_keys SET revoked_at = NULL WHERE id = '${id}'`, /a revoked key stays revoked/],
      [`UPDATE vitrine.api_keys SET revoked_at = now() + interval '1 day' WHERE id = '${id}'`, /stays revoked/],
      [`UPDATE vitrine.api_keys SET expires_at = NULL WHERE id = '${endedId}'`, /an expired key stays expired/],
      [`UPDATE vitrine.api_keys SET expires_at = now() + interval '1 day' WHERE id = '${endedId}'`, /stays expired/],
      [`UPDATE vitrine.api_keys SET expires_at = 'infinity' WHERE id = '${endedId}'`, /stays expired/],
      [`UPDATE vitrine.api_keys SET retires_at = NULL WHERE id = '${endedId}'`, /a retired key stays retired/],
    ] as const)
      await assert.rejects(client.query(attempt), { code: '23514', message }, attempt)
  })
  await refused([
    ...stillRefused,
    `UPDATE vitrine.workspaces SET slug = 'x'`,
    'UPDATE vitrine.api_keys SET replaces = NULL',
    `UPDATE vitrine.api_keys SET hash = 'x'`,
    `UPDATE vitrine.api_keys SET client_host = 'x.example'`,
    `UPDATE vitrine.connection_tokens SET expires_at = now() + interval '1 year'`,
    `UPDATE vitrine.connection_tokens SET kind = 'access'`,
    `UPDATE vitrine.connection_tokens SET key_id = 'x'`,
    `UPDATE vitrine.members SET email = 'x@acme.example'`,
    `UPDATE vitrine.notice_deliveries SET recipient = 'x@acme.example'`,
    `UPDATE vitrine.notice_events SET text = 'x'`,
    'DELETE FROM vitrine.notice_settings',
    `UPDATE vitrine.audit SET actor = 'x'`,
    'UPDATE vitrine.audit_heads SET trimmed_number = 1',
    `INSERT INTO vitrine.audit_heads VALUES ('x', 1, '', 1, '')`,
  ])
  const chain = await operator.store.read((tx) => verifyChain(tx, operator.workspace.id))
  assert.equal(chain.fault, null)
  assert.ok(chain.entries >= 8, 'what the server wrote is in the chain')

  // The retention of the log is the operator's: the server's role can only add to it.
  const settingsStore = await openSettingsStore(parseDatabaseUrl(serverUrl), resources)
  assert.ok(settingsStore)
  t.after(() => settingsStore.close())
  await assert.rejects(
    pruneAudit(settingsStore, Date.now()),
    /the role in DATABASE_URL lacks a privilege that this needs/,
  )
  const [pruned] = await pruneAudit(operator.store, Date.now())
  assert.deepEqual([pruned?.removed, pruned?.fault], [chain.entries, null])
})

test('a server whose role lacks a privilege that every request needs is not ready until it is granted', async (t) => {
  const { operatorUrl, serverUrl } = await startWithRoles(t)
  const { token } = await (await startOperator(t, operatorUrl)).createKey()
  const asOperator = (statement: string) => withClient(operatorUrl, (client) => client.query(statement))
  const started = await program(t, { DATABASE_URL: serverUrl }).start('serve')
  const reason =
    /"code":"42501","message":"permission denied for table quota_windows".*"msg":"not ready: requests fail until/
  await waitUntil(() => reason.test(started.output()))
  assert.equal(await started.stop(), 0)
  const [replica] = await startReplicas(t, 1, { DATABASE_URL: serverUrl })
  const ask = async (path: string) =>
    (await fetch(`${replica?.url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status
  assert.deepEqual([await ask('/readyz'), await ask('/tasks')], [503, 500], 'before server-writes.sql')
  await asOperator(sql('server-writes.sql'))
  assert.deepEqual([await ask('/readyz'), await ask('/tasks')], [200, 200])
  for (const privilege of [
    'INSERT ON vitrine.quota_windows',
    'UPDATE ON vitrine.quota_windows',
    'SELECT ON vitrine.api_keys',
    'SELECT ON vitrine.revisions',
    'SELECT ON vitrine.list_items',
  ]) {
    await asOperator(`REVOKE ${privilege} FROM vitrine_server`)
    assert.equal(await ask('/readyz'), 503, privilege)
    await asOperator(`GRANT ${privilege} TO vitrine_server`)
    assert.equal(await ask('/readyz'), 200, privilege)
  }
  const windows = await asOperator('SELECT key_id FROM vitrine.quota_windows')
  assert.equal(windows.rowCount, 1, 'only what was asked with the key is counted')
})
