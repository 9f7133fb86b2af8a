import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { locationOf, parseDatabaseUrl } from '../../src/database/open.ts'
import { checkedUrl, currentUrl } from '../../src/database/postgres/pool/url.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('the location of the data is shown without a user, a password or a parameter', () => {
  const told: Record<string, string> = {
    'sqlite:data/v.db': resolve('data/v.db'),
    'sqlite:///var/v.db': '/var/v.db',
    'postgres://u:hush@db.example/app?sslmode=disable': 'the database app of PostgreSQL at db.example:5432',
    'postgres:///my%20app?host=/run/pg&port=6000&password=hush': 'the database my app of PostgreSQL at /run/pg:6000',
    'postgres://u:hush@[::1]:5433/app': 'the database app of PostgreSQL at [::1]:5433',
  }
  for (const [url, place] of Object.entries(told)) assert.equal(locationOf(parseDatabaseUrl(url)), place)
  assert.match(locationOf(parseDatabaseUrl('postgres://u@db.example')), /of PostgreSQL at db\.example:5432$/)
})

test('a new connection uses the user and password that the file then contains; other changes need a restart', (t) => {
  const file = join(temporaryFolder(t), 'url')
  const url = currentUrl({ url: 'postgres://u:old@a/app?sslmode=disable', file })
  const urlWith = (content: string) => {
    writeFileSync(file, content)
    return url()
  }
  assert.equal(url(), 'postgres://u:old@a/app?sslmode=disable', 'the file is not there at the moment')
  assert.equal(urlWith('postgres://v:new@a/app?sslmode=disable\n'), 'postgres://v:new@a/app?sslmode=disable')
  for (const other of ['postgres://v:x@c/app?sslmode=disable', 'postgres://v:x@a/app', 'sqlite:data.db', ''])
    assert.equal(urlWith(other), 'postgres://v:new@a/app?sslmode=disable', other)
  const asParameters = 'postgres://a/app?sslmode=disable&user=w&password=newest'
  assert.equal(urlWith(asParameters), asParameters)
})

test('what the driver would misunderstand in a URL is refused; a password may contain commas', () => {
  for (const accepted of ['postgres://u:a,b@h/db', 'postgres://u:a@b,c@h/db', 'postgres://h/db?sslmode=disable'])
    assert.equal(checkedUrl(accepted).hostname, 'h', accepted)
  const refused: Record<string, RegExp> = {
    'postgres://u:a,b@h,i/db': /names several hosts/,
    'postgres://h,i/db': /names several hosts/,
    'postgres:///db?host=h,i': /names several hosts/,
    'postgres://h/db?sslmode=verify-full&sslmode=disable': /has sslmode more than once/,
    'postgres://h/db?sslmode=Disable': /has an unknown sslmode "Disable"/,
    'postgres://h/db?sslmod=disable': /has an unknown parameter "sslmod"/,
    'postgres://h/db?sslnegotiation=bogus': /has an unknown sslnegotiation "bogus"; use one of postgres, direct/,
    'postgres://h/db?uselibpqcompat=true&sslmode=verify-ca': /also needs sslrootcert=<file>/,
    'postgres://h/db?port=0x10': /has a port that is not a number/,
  }
  for (const [url, fault] of Object.entries(refused)) assert.throws(() => checkedUrl(url), fault, url)
})
