import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseDatabaseUrl } from '../../src/database/open.ts'
import { createPool } from '../../src/database/postgres/pool/connect.ts'
import { Hosts, parseAddress } from '../../src/database/postgres/pool/hosts.ts'
import { freshDatabaseUrl, skipWithoutPostgres } from '../support/database.ts'
import { withClient } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a connection string with several hosts is read as PostgreSQL’s own clients read it', () => {
  const cases: [string, string[]][] = [
    ['postgres://a/app', ['postgres://a/app']],
    ['postgresql://u:p@a,b/app', ['postgresql://u:p@a/app', 'postgresql://u:p@b/app']],
    ['postgres://u@a:5432,b:5433/app', ['postgres://u@a:5432/app', 'postgres://u@b:5433/app']],
    [
      'postgres://u@[::1]:5432,[fe80::2],c/app',
      ['postgres://u@[::1]:5432/app', 'postgres://u@[fe80::2]/app', 'postgres://u@c/app'],
    ],
    ['postgres://u%40x:p%2C1@a,b/app', ['postgres://u%40x:p%2C1@a/app', 'postgres://u%40x:p%2C1@b/app']],
    [
      'postgres://a,b/app?sslmode=verify-full',
      ['postgres://a/app?sslmode=verify-full', 'postgres://b/app?sslmode=verify-full'],
    ],
    ['postgres://a,b/app?port=5433,5434', ['postgres://a/app?port=5433', 'postgres://b/app?port=5434']],
    ['postgres://a:1,b:2/app?port=5433', ['postgres://a:1/app?port=5433', 'postgres://b:2/app?port=5433']],
    ['postgres:///app?host=/tmp&port=5433', ['postgres:///app?host=%2Ftmp&port=5433']],
  ]
  for (const [text, urls] of cases) assert.deepEqual(parseAddress(text).urls, urls, text)
})

test('of several hosts, the primary is required unless any is allowed', () => {
  const targets = {
    'postgres://a/app': 'any',
    'postgres://a,b/app': 'primary',
    'postgres://a,b/app?target_session_attrs=read-write': 'primary',
    'postgres://a/app?target_session_attrs=primary': 'primary',
    'postgres://a,b/app?target_session_attrs=any&sslmode=disable': 'any',
  }
  for (const [text, target] of Object.entries(targets)) {
    const address = parseAddress(text)
    assert.equal(address.target, target, text)
    assert.ok(
      address.urls.every((url) => !url.includes('target_session_attrs')),
      'it is for us, not for the server',
    )
  }
})

test('an unusable string is refused with its reason', () => {
  const faults: [string, RegExp][] = [
    ['postgres://a,,b/app', /empty host/],
    ['postgres://a,/app', /empty host/],
    ['postgres://a:x,b/app', /not a valid postgres:\/\/ URL/],
    ['postgres://a,b:99999/app', /not a valid postgres:\/\/ URL/],
    ['postgres://a,b/app?target_session_attrs=standby', /must be read-write, primary or any/],
    ['postgres://a,b/app?target_session_attrs=', /must be read-write, primary or any/],
    ['postgres:///app?host=a,b', /several hosts before the path/],
    ['postgres://a,b/app?host=/tmp', /several hosts before the path and one with host=; leave host= out/],
    ['postgres://a,b/app?host=', /leave host= out/],
    ['postgres://a,b,c/app?port=5433,5434', /2 ports for 3 hosts; give one for all, or one for each/],
    ['postgres://a/app?port=5433,5434', /2 ports for 1 host;/],
    ['postgres://a,b/app?port=5433,', /port that is not a number from 1 to 65535/],
    ['postgres://a,b/app?port=5433,65536', /port that is not a number from 1 to 65535/],
  ]
  for (const [text, fault] of faults) assert.throws(() => parseDatabaseUrl(text), fault, text)
})

test('a new connection uses the user and password that the file then contains; other changes need a restart', (t) => {
  const file = join(temporaryFolder(t), 'url')
  const hosts = new Hosts({ url: 'postgres://u:old@a,b/app?sslmode=disable', file })
  const urlWith = (content: string) => {
    writeFileSync(file, content)
    hosts.readCredentials()
    return hosts.url
  }
  hosts.readCredentials()
  assert.equal(hosts.url, 'postgres://u:old@a/app?sslmode=disable', 'the file is not there at the moment')
  assert.equal(urlWith('postgres://v:new@a,b/app?sslmode=disable\n'), 'postgres://v:new@a/app?sslmode=disable')
  for (const other of [
    ...['postgres://v:x@c,b/app?sslmode=disable', 'postgres://v:x@a,b/other?sslmode=disable', 'postgres://v:x@a,b/app'],
    ...['postgres://v:x@a,b/app?sslmode=no', 'sqlite:data.db', '', 'postgres://v:x@a,b/app?sslmode=disable\n\nmore'],
  ])
    assert.equal(urlWith(other), 'postgres://v:new@a/app?sslmode=disable', other)
  hosts.leave(hosts.current)
  assert.equal(urlWith('postgres://v:newer@a,b/app?sslmode=disable'), 'postgres://v:newer@b/app?sslmode=disable')
  const asParameters = 'postgres://a,b/app?sslmode=disable&user=w&password=newest'
  assert.equal(urlWith(asParameters), 'postgres://b/app?sslmode=disable&user=w&password=newest')
})

test(
  'if one host is down and the other read-only, the message names both reasons, whichever comes first',
  skipWithoutPostgres(),
  async (t) => {
    const url = await freshDatabaseUrl(t, 'postgres')
    const { port, pathname } = new URL(url)
    await withClient(url, (client) =>
      client.query(`ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = on`),
    )
    for (const ports of [`1,${port}`, `${port},1`]) {
      const hosts = new Hosts({ url: `postgres://postgres@127.0.0.1,127.0.0.1${pathname}?port=${ports}` })
      const pool = createPool(hosts, { purpose: 'test', max: 1 })
      t.after(() => pool.end())
      await assert.rejects(pool.query('SELECT 1'), {
        name: 'StorageError',
        message:
          'no host in DATABASE_URL is a primary at the moment: those that respond are standbys or read-only; promote one, or check that the primary can be reached',
      })
    }
  },
)
