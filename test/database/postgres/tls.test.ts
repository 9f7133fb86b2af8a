import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { skipWithoutPostgres } from '../../support/database.ts'
import { account } from '../../support/postgres-installation.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const options = hasOpenssl ? skipWithoutPostgres() : { skip: 'no openssl to make certificates with' }

function openssl(folder: string, line: string): void {
  const { status, stderr } = spawnSync('openssl', line.split(' '), { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'

/** An authority, a certificate for 127.0.0.1 and one for it that has expired, and the keys. */
function createCertificates(folder: string): void {
  chmodSync(folder, 0o755)
  for (const ca of ['ca', 'other'])
    openssl(folder, `req -x509 ${NEW_KEY} -keyout ${ca}.key -out ${ca}.crt -subj /CN=${ca} -days 2`)
  openssl(folder, `req ${NEW_KEY} -keyout server.key -out server.csr -subj /CN=vitrine-test`)
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1')
  const sign = 'x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile names'
  openssl(folder, `${sign} -days 2 -out server.crt`)
  openssl(folder, `${sign} -days -1 -out expired.crt`)
  const as = account()
  if (as !== undefined) chownSync(join(folder, 'server.key'), as.uid, as.gid)
  chmodSync(join(folder, 'server.key'), 0o600)
}

test('a TLS fault at startup is one line that names DATABASE_URL and the fix', options, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-tls-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  createCertificates(folder)
  const file = (name: string) => join(folder, name)
  const tls = (cert: string) => ({ ssl: 'on', ssl_cert_file: file(cert), ssl_key_file: file('server.key') })
  const start = async (settings: Record<string, string>) => {
    const server = await startPostgres(settings)
    t.after(() => server.remove())
    return server.url
  }
  const [secure, expired, plain] = await Promise.all([start(tls('server.crt')), start(tls('expired.crt')), start({})])
  const root = `sslrootcert=${file('ca.crt')}`
  const refused = async (url: string, message: RegExp) => {
    const vitrine = program(t, { DATABASE_URL: url })
    const { code, stdout, stderr } = await vitrine.run('serve')
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, stderr)
    assert.match(stderr, message)
    assert.equal(stderr.split('\n').length, 2, stderr)
    assert.match(stderr, /DATABASE_URL/)
  }
  const untrusted = /certificate is not signed by a trusted authority; name its CA file .* sslrootcert=<file>/
  await refused(`${secure}?sslmode=verify-full`, untrusted)
  await refused(`${secure}?sslmode=require`, untrusted)
  await refused(`${secure}?sslmode=verify-full&sslrootcert=${file('other.crt')}`, untrusted)
  await refused(
    `${expired}?sslmode=verify-full&${root}`,
    /certificate of the PostgreSQL server in DATABASE_URL has expired/,
  )
  await refused(
    `${secure.replace('127.0.0.1', 'localhost')}?sslmode=verify-full&${root}`,
    /is for a different host than/,
  )
  await refused(`${plain}?sslmode=require`, /does not support TLS; turn it on there \(ssl = on\), or remove sslmode/)
  await refused(`${plain}?sslmode=bogus`, /unknown sslmode "bogus"; use one of disable, prefer, require/)
  await refused(
    `${secure}?sslmode=verify-full&sslrootcert=${file('server.key.gone')}`,
    /names an unreadable file in sslrootcert/,
  )
  await refused(`${secure}?sslmode=verify-full&sslrootcert=${file('names')}`, untrusted)

  const ill = await program(t, { DATABASE_URL: `${secure}?sslmode=verify-full` }).run('doctor')
  assert.equal(ill.code, 1)
  assert.match(ill.stdout, /^FAIL {2}database: .*DATABASE_URL with sslrootcert=<file>$/m)

  for (const url of [`${secure}?sslmode=verify-full&${root}`, `${secure}?sslmode=no-verify`, secure]) {
    const vitrine = program(t, { DATABASE_URL: url })
    await vitrine.ok('migrate')
    assert.equal(await vitrine.ok('workspace', 'list', '--json'), '[]')
  }
  const { stderr } = await program(t, { DATABASE_URL: `${secure}?sslmode=require&${root}` }).run('workspace', 'list')
  assert.match(stderr, /^There are no workspaces yet/, 'and nothing else is said')
})
