import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testOnce } from '../support/database.ts'
import { acmeProgram, program } from '../support/program.ts'

test('a workspace is made with its defaults and listed', async (t) => {
  const vitrine = program(t)
  const made = JSON.parse(
    await vitrine.ok(
      'workspace',
      'create',
      '--name',
      'Åcme & Söhne',
      '--slug',
      'acme-1',
      '--timezone',
      'Asia/Tokyo',
      '--currency',
      'JPY',
      '--country',
      'JP',
      '--json',
    ),
  )
  assert.deepEqual(
    { ...made, id: '', createdAt: '' },
    {
      id: '',
      slug: 'acme-1',
      name: 'Åcme & Söhne',
      timezone: 'Asia/Tokyo',
      currencyCode: 'JPY',
      countryCode: 'JP',
      createdAt: '',
      archivedAt: null,
    },
  )
  assert.deepEqual(JSON.parse(await vitrine.ok('workspace', 'list', '--json')), [made])
  assert.match(
    await vitrine.ok('workspace', 'list'),
    /^SLUG +NAME .*\nacme-1 +Åcme & Söhne +Asia\/Tokyo +JPY +JP +available +ws_/,
  )
})

const refusals: [args: string[], complaint: RegExp][] = [
  [['--name', 'A', '--slug', 'Acme'], /the slug must be 1 to 63 lower-case letters/],
  [['--name', 'A', '--slug', '-a'], /the slug must be/],
  [['--name', ' ', '--slug', 'a'], /the name must be 1 to 200 characters/],
  [['--name', 'A', '--slug', 'a', '--timezone', 'Mars/Olympus'], /"Mars\/Olympus" is not an IANA timezone/],
  [['--name', 'A', '--slug', 'a', '--timezone', '+01:00'], /"\+01:00" is not an IANA timezone/],
  [['--name', 'A', '--slug', 'a', '--timezone', 'europe/london'], /is spelled Europe\/London/],
  [['--name', 'A', '--slug', 'a', '--currency', 'XYZ'], /"XYZ" is not an ISO 4217 currency code/],
  [['--name', 'A', '--slug', 'a', '--currency', 'gbp'], /"gbp" is not an ISO 4217/],
  [['--name', 'A', '--slug', 'a', '--country', 'UK'], /"UK" is not an ISO 3166-1 alpha-2 country code/],
]

testOnce('a workspace is refused for each detail that does not exist, in one line, and nothing is made', async (t) => {
  const vitrine = program(t)
  await vitrine.ok('workspace', 'create', '--name', 'First', '--slug', 'first')
  for (const [args, complaint] of refusals) {
    const { code, stdout, stderr } = await vitrine.run('workspace', 'create', ...args)
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, args.join(' '))
    assert.match(stderr, complaint)
    assert.equal(stderr.split('\n').length, 2)
  }
  const twice = await vitrine.run('workspace', 'create', '--name', 'Again', '--slug', 'first')
  assert.equal(twice.stderr, 'vitrine: a workspace with the slug first exists already; choose another\n')
  assert.equal(JSON.parse(await vitrine.ok('workspace', 'list', '--json')).length, 1)
})

test('archiving is seen by the very next request of a running server, and so is restoring', async (t) => {
  const vitrine = await acmeProgram(t)
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  const server = await vitrine.start('serve')
  const status = async () =>
    (await fetch(`${server.url}/workspace`, { headers: { authorization: `Bearer ${key}` } })).status
  assert.equal(await status(), 200)
  await vitrine.ok('workspace', 'archive', 'acme')
  assert.equal(await status(), 404)
  await vitrine.ok('workspace', 'restore', 'acme')
  assert.equal(await status(), 200)
  assert.match((await vitrine.run('workspace', 'restore', 'acme')).stderr, /is not archived/)
})
