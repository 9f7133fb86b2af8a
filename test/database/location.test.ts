import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { locationOf, parseDatabaseUrl } from '../../src/database/open.ts'

test('the location of the data is shown without a user, a password or a parameter', () => {
  const told: Record<string, string> = {
    'sqlite:data/v.db': resolve('data/v.db'),
    'sqlite:///var/v.db': '/var/v.db',
    'postgres://u:hush@db.example/app?sslmode=disable': 'the database app of PostgreSQL at db.example:5432',
    'postgres://u:hush@a.example,b.example:5433/app':
      'the database app of PostgreSQL at a.example:5432, b.example:5433',
    'postgres:///my%20app?host=/run/pg&port=6000&password=hush': 'the database my app of PostgreSQL at /run/pg:6000',
    'postgres://u:hush@[::1]:5433/app': 'the database app of PostgreSQL at [::1]:5433',
  }
  for (const [url, place] of Object.entries(told)) assert.equal(locationOf(parseDatabaseUrl(url)), place)
  assert.match(locationOf(parseDatabaseUrl('postgres://u@db.example')), /of PostgreSQL at db\.example:5432$/)
})
