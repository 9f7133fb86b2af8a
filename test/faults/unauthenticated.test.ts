import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startCutProxy } from '../support/cut-proxy.ts'
import { skipWithoutPostgres } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'
import { startPostgres, withClient } from '../support/postgres-server.ts'
import { program } from '../support/program.ts'
import { getFrom } from '../support/replicas.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { waitUntil } from '../support/wait.ts'

/** An unfinished authentication stays open for this long: longer than any test waits. */
const PATIENT_SERVER = { authentication_timeout: '600' }
const options = skipWithoutPostgres()

const HBA = {
  open: 'host all all all trust\n',
  closed: 'host all postgres all trust\nhost all all all scram-sha-256\n',
}

/** PostgreSQL behind a proxy that counts connections, with a role that may be asked for a password. */
async function startServer(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-hba-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const file = join(folder, 'pg_hba.conf')
  writeFileSync(file, HBA.open)
  const database = await startPostgres({ ...PATIENT_SERVER, hba_file: file })
  t.after(() => database.remove())
  const asSuperuser = (sql: string) => withClient(database.url, (client) => client.query(sql))
  await asSuperuser("CREATE ROLE app LOGIN SUPERUSER PASSWORD 'first'")
  const proxy = await startCutProxy(Number(new URL(database.url).port))
  t.after(() => proxy.close())
  return {
    asSuperuser,
    proxy,
    url: (credentials = 'app') => `postgres://${credentials}@127.0.0.1:${proxy.port}/postgres`,
    /** From now on the role needs its password. */
    async askForPassword() {
      writeFileSync(file, HBA.closed)
      await asSuperuser('SELECT pg_reload_conf()')
      proxy.cut()
      await waitUntil(async () => {
        const { rows } = await asSuperuser("SELECT auth_method FROM pg_hba_file_rules WHERE 'all' = ANY (user_name)")
        return rows[0]?.auth_method === 'scram-sha-256'
      })
    },
  }
}

test('connections that cannot authenticate are closed, and do not keep a stopped server alive', options, async (t) => {
  const { proxy, url, askForPassword } = await startServer(t)
  const { token } = await (await startOperator(t, url())).createKey()
  const server = await program(t, { DATABASE_URL: url() }).start('serve')
  assert.equal((await getFrom(server, token)).status, 200)
  await askForPassword()
  for (let i = 0; i < 30; i++) {
    const statuses = await Promise.all([getFrom(server, token), getFrom(server, token, '/readyz')])
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [500, 503],
    )
  }
  await waitUntil(() => proxy.connections() === 0, { message: 'connections were left open' })
  assert.equal(await server.stop(), 0, 'it ends by itself')
  assert.match(server.output(), /"msg":"stopped"/)
})

test('rotating a password in DATABASE_URL_FILE needs no restart', options, async (t) => {
  const { proxy, url, asSuperuser, askForPassword } = await startServer(t)
  const { token } = await (await startOperator(t, url())).createKey()
  await askForPassword()
  const file = join(temporaryFolder(t), 'url')
  writeFileSync(file, url('app:first'))
  const server = await program(t, { DATABASE_URL: '', DATABASE_URL_FILE: file }).start('serve')
  assert.equal((await getFrom(server, token)).status, 200)
  await asSuperuser("ALTER ROLE app PASSWORD 'second'")
  proxy.cut()
  assert.equal((await getFrom(server, token)).status, 500, 'the old password is refused')
  writeFileSync(file, url('app:second'))
  await waitUntil(async () => (await getFrom(server, token)).status === 200)
  assert.equal((await getFrom(server, token, '/readyz')).status, 200)
  assert.equal(await server.stop(), 0)
})

test('a command that cannot authenticate exits with its message', options, async (t) => {
  const { url, askForPassword } = await startServer(t)
  await askForPassword()
  const { code, stderr } = await program(t, { DATABASE_URL: url() }).run('workspace', 'list')
  assert.equal(code, 1)
  assert.equal(stderr, 'vitrine: PostgreSQL requires a password; put it into DATABASE_URL, or set PGPASSWORD\n')
})
