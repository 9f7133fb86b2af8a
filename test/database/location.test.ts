import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { locationOf, parseDatabaseUrl } from '../../src/database/open.ts'
import { currentUrl } from '../../src/database/postgres/pool/url.ts'
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
