import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { verifyChain } from '../../src/audit/verify.ts'
import { addMember } from '../../src/intake/members.ts'
import { makeSignInLink } from '../../src/settings/sign-in-link.ts'
import { skipWithoutPostgres } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'
import { Browser, makeKeyOnPage } from '../support/person.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { program } from '../support/program.ts'
import { startReplicas } from '../support/replicas.ts'

const sql = (file: string) => readFileSync(new URL(`../../docs/sql/${file}`, import.meta.url), 'utf8')

async function as<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A server of its own, since roles belong to a whole server, with the documented ones, and an operator at work. */
async function withRoles(t: TestContext) {
  const database = await startPostgres()
  t.after(() => database.remove())
  await as(database.url, (admin) => admin.query(sql('roles.sql')))
  const operatorUrl = database.url.replace('postgres@', 'vitrine_operator@')
  const operator = await startOperator(t, operatorUrl)
  return { operator, operatorUrl, serverUrl: database.url.replace('postgres@', 'vitrine_server@') }
}

test(
  'the server’s role can add to the chain of the audit, and do nothing else to it',
  skipWithoutPostgres(),
  async (t) => {
    const { operator, operatorUrl, serverUrl } = await withRoles(t)
    const refused = (list: string[]) =>
      as(serverUrl, async (client) => {
        for (const attempt of list) await assert.rejects(client.query(attempt), { code: '42501' }, attempt)
      })
    const never = [
      `UPDATE vitrine.audit SET actor = 'x'`,
      'DELETE FROM vitrine.audit',
      'TRUNCATE vitrine.audit',
      'ALTER TABLE vitrine.audit DISABLE TRIGGER ALL',
      'UPDATE vitrine.audit_heads SET trimmed_number = 1',
      `INSERT INTO vitrine.audit_heads VALUES ('x', 1, '', 1, '')`,
      'DELETE FROM vitrine.audit_heads',
    ]
    await as(operatorUrl, (client) => client.query(sql('server-writes.sql')))
    await refused([
      ...never,
      `INSERT INTO vitrine.audit_heads (workspace_id, number, hash) VALUES ('x', 1, '')`,
      'UPDATE vitrine.audit_heads SET number = 1',
    ])

    const ofBefore = sql('settings-writes.sql').replace(/^GRANT .* ON vitrine\.audit_heads .*$/m, '')
    await as(operatorUrl, (client) => client.query(ofBefore))
    const [without] = await startReplicas(t, 1, { DATABASE_URL: serverUrl })
    assert.equal((await fetch(`${without?.url}/settings`)).status, 404, 'off, for it could not write the audit')
    await as(operatorUrl, (client) => client.query(sql('settings-writes.sql')))
    const [replica] = await startReplicas(t, 1, { DATABASE_URL: serverUrl })
    const email = 'owner@acme.example'
    await addMember(operator.store, 'acme', { email, role: 'owner' }, 'test', new Date().toISOString())
    const browser = new Browser(replica?.url ?? '')
    const facts = { baseUrl: replica?.url ?? '', actor: 'test', nowMs: Date.now() }
    await browser.follow(await makeSignInLink(operator.store, { email }, facts))
    assert.equal((await makeKeyOnPage(browser)).answer.status, 200)
    await refused(never)
    const { fault, entries } = await operator.store.read((tx) => verifyChain(tx, operator.workspace.id))
    // The workspace, the member and the link by the operator; the sign-in and the key by the server.
    assert.deepEqual([fault, entries], [null, 5])
  },
)

test(
  'without the grants of a later version the server serves, and its log says what it may not do',
  skipWithoutPostgres(),
  async (t) => {
    const { operator, operatorUrl, serverUrl } = await withRoles(t)
    await as(operatorUrl, (client) =>
      client.query('GRANT INSERT, UPDATE ON vitrine.quota_windows, vitrine.key_use TO vitrine_server'),
    )
    const { token } = await operator.makeKey()
    const revoked = await operator.makeKey()
    await operator.keys.revoke(revoked.id)
    const server = await program(t, { DATABASE_URL: serverUrl }).start('serve')
    const ask = async (key: string) =>
      (await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })).status
    assert.deepEqual([await ask(token), await ask(revoked.token)], [200, 401])
    await server.stop()
    assert.match(server.output(), /the settings page is off: the role in DATABASE_URL may not make keys/)
    assert.match(server.output(), /use records could not be written/)
  },
)
