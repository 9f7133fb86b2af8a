// On both engines: all or nothing.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabaseUrl, testOnce } from '../support/database.ts'
import { type Program, program } from '../support/program.ts'

const ACME = {
  slug: 'acme',
  name: 'Acme',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  members: [{ email: 'Ada@acme.example', role: 'owner' }],
  keys: [
    { label: 'nightly report', expires: '90d', networks: ['10.0.0.0/8'] },
    { label: 'agent', permissions: ['tasks:read'], rateLimit: '10;w=1', expires: '2999-01-31' },
  ],
}

function setUp(t: Parameters<typeof program>[0]) {
  const vitrine = program(t)
  const apply = (file: unknown, ...options: string[]) =>
    vitrine.json('apply', vitrine.writeFile('workspaces.json', JSON.stringify(file)), ...options)
  return { vitrine, apply }
}

const fileOf = (...workspaces: object[]) => ({ workspaces })
const keysOf = (vitrine: Program) => vitrine.json('key', 'list', '--workspace', 'acme')

/** Everything that a change could leave behind. */
const traces = async (vitrine: Program) => [
  await vitrine.jsonLines('audit', '--workspace', 'acme', '--limit', '1000'),
  await keysOf(vitrine),
  await vitrine.json('member', 'list', '--workspace', 'acme'),
  await vitrine.json('workspace', 'list'),
]

test('a file creates workspaces with members and keys, whose tokens are printed once and work', async (t) => {
  const { vitrine, apply } = setUp(t)
  const applied = await apply(fileOf(ACME, { slug: 'beta', name: 'Beta' }))
  assert.deepEqual(
    applied.workspaces.map(({ slug, result }: Record<string, string>) => [slug, result]),
    [
      ['acme', 'created'],
      ['beta', 'created'],
    ],
  )
  assert.deepEqual(
    applied.keys.map(({ workspace, label }: Record<string, string>) => [workspace, label]),
    [
      ['acme', 'nightly report'],
      ['acme', 'agent'],
    ],
  )
  const [acme] = await vitrine.json('workspace', 'list')
  assert.deepEqual([acme.timezone, acme.currencyCode, acme.countryCode], ['Europe/Berlin', 'EUR', null])
  const [ada] = await vitrine.json('member', 'list', '--workspace', 'acme')
  assert.deepEqual([ada.email, ada.role], ['ada@acme.example', 'owner'])
  const agent = (await keysOf(vitrine)).find(({ label }: { label: string }) => label === 'agent')
  // The end of that day in Berlin.
  assert.equal(agent.expiresAt, '2999-01-31T23:00:00.000Z')
  assert.deepEqual([agent.permissions, agent.quota], [['tasks:read'], { limit: 10, windowSeconds: 1 }])
  const server = await vitrine.serve()
  const status = async (key: string) =>
    (await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })).status
  assert.equal(await status(applied.keys[1].key), 200)
  assert.equal(await status(applied.keys[0].key), 401, 'only from its networks')
  assert.match(await vitrine.ok('audit', 'verify'), /^ok {4}acme: 4 entries/)
})

test('a second run changes nothing and writes nothing', async (t) => {
  const { vitrine, apply } = setUp(t)
  await apply(fileOf(ACME))
  const before = await traces(vitrine)
  const again = await apply(fileOf(ACME), '--prune')
  assert.deepEqual([again.unchanged, again.workspaces[0].changes, again.keys], [1, [], []])
  assert.deepEqual(await traces(vitrine), before)
})

test('differences are changed, anything the file leaves out stays, and null clears', async (t) => {
  const { vitrine, apply } = setUp(t)
  await apply(fileOf(ACME))
  const [nightly, agent] = ACME.keys
  const changed = await apply(
    fileOf({
      slug: 'acme',
      currency: null,
      members: [
        { email: 'ada@acme.example', role: 'admin' },
        { email: 'bo@acme.example', role: 'owner' },
      ],
      keys: [{ ...agent, rateLimit: null, expires: null }, { label: 'new' }],
    }),
  )
  assert.deepEqual(changed.workspaces[0].changes, [
    'changed currencyCode',
    'added bo@acme.example as owner',
    'changed ada@acme.example from owner to admin',
    'changed quota of the key "agent"',
    'changed expiresAt of the key "agent"',
    'created the key "new"',
  ])
  const [acme] = await vitrine.json('workspace', 'list')
  assert.deepEqual([acme.name, acme.timezone, acme.currencyCode], ['Acme', 'Europe/Berlin', null])
  const keys = await keysOf(vitrine)
  const open = keys.filter(({ revokedAt }: { revokedAt: string | null }) => revokedAt === null)
  assert.deepEqual(open.map(({ label }: { label: string }) => label).sort(), ['agent', 'new', nightly?.label])
})

test('a limit to some rows is created, changed, left alone where the file has none, and cleared by null', async (t) => {
  const { apply, vitrine } = setUp(t)
  const only = { tasks: { bookKey: ['wool', 'linen'] } }
  const changes = async (key: object) => {
    const { workspaces } = await apply(fileOf({ slug: 'acme', name: 'Acme', keys: [{ label: 'agent', ...key }] }))
    return [workspaces[0].changes, (await keysOf(vitrine))[0].only]
  }
  const limit = { tasks: { bookKey: ['linen', 'wool'] } }
  assert.deepEqual(await changes({ only }), [['created the workspace', 'created the key "agent"'], limit])
  assert.deepEqual(await changes({ only: limit }), [[], limit])
  assert.deepEqual(await changes({}), [[], limit])
  assert.deepEqual(await changes({ only: null }), [['changed only of the key "agent"'], null])
})

test('only --prune removes members and revokes keys, and only in the workspaces and lists of the file', async (t) => {
  const { vitrine, apply } = setUp(t)
  await apply(fileOf(ACME, { ...ACME, slug: 'beta' }))
  const { keys, members, ...details } = ACME
  await apply(fileOf(details), '--prune')
  assert.equal((await vitrine.json('member', 'list', '--workspace', 'acme')).length, 1, 'no list, nothing pruned')
  const bo = { email: 'bo@acme.example', role: 'owner' }
  const pruned = await apply(fileOf({ ...details, members: [bo], keys: keys.slice(0, 1) }), '--prune')
  assert.deepEqual(pruned.workspaces[0].changes, [
    'added bo@acme.example as owner',
    'removed ada@acme.example',
    'revoked the key "agent"',
  ])
  const inBeta = await vitrine.json('member', 'list', '--workspace', 'beta')
  assert.deepEqual([inBeta.length, members.length], [1, 1])
})

test('a workspace that cannot be applied is left as it was, and the others are applied', async (t) => {
  const { vitrine } = setUp(t)
  vitrine.writeFile('a.json', JSON.stringify(fileOf(ACME)))
  await vitrine.ok('apply', join(vitrine.folder, 'a.json'))
  const noOwner = { slug: 'acme', name: 'Renamed', members: [{ email: 'ada@acme.example', role: 'member' }] }
  vitrine.writeFile('b.json', JSON.stringify(fileOf(noOwner, { slug: 'nameless' }, { slug: 'beta', name: 'Beta' })))
  const { code, stderr } = await vitrine.run('apply', join(vitrine.folder, 'b.json'))
  assert.equal(code, 1)
  assert.match(stderr, /^acme: not applied: ada@acme.example is the only owner of acme/m)
  assert.match(stderr, /^nameless: not applied: there is no such workspace yet, and creating it needs a "name"$/m)
  assert.match(stderr, /^vitrine: 2 workspaces not applied$/m)
  const workspaces = await vitrine.json('workspace', 'list')
  assert.deepEqual(workspaces.map(({ name }: { name: string }) => name).sort(), ['Acme', 'Beta'])
})

testOnce('--keys-to appends new keys to a file that only its owner can read', async (t) => {
  const { vitrine, apply } = setUp(t)
  const file = join(vitrine.folder, 'keys.ndjson')
  // Without a line break at its end.
  writeFileSync(file, '{"earlier": true}', { mode: 0o644 })
  const applied = await apply(fileOf(ACME), '--keys-to', file)
  assert.ok(!('keys' in applied))
  const [earlier, ...lines] = readFileSync(file, 'utf8').trim().split('\n')
  assert.equal(earlier, '{"earlier": true}')
  assert.deepEqual(
    lines.map((line) => Object.keys(JSON.parse(line))),
    [
      ['workspace', 'label', 'id', 'key'],
      ['workspace', 'label', 'id', 'key'],
    ],
  )
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const size = statSync(file).size
  await apply(
    fileOf({ slug: 'acme', members: [{ email: 'ada@acme.example', role: 'member' }], keys: [{ label: 'z' }] }),
    '--keys-to',
    file,
  ).catch(() => {})
  assert.equal(statSync(file).size, size, 'a failed workspace leaves no key there')
})

test('--dry-run shows what would be done, and changes nothing', async (t) => {
  const { vitrine, apply } = setUp(t)
  await apply(fileOf(ACME))
  const before = await traces(vitrine)
  const shown = await apply(fileOf({ ...ACME, name: 'Acme Ltd', keys: [{ label: 'new' }] }), '--dry-run', '--prune')
  // Both were created at the same time, so either may come first.
  assert.deepEqual(shown.workspaces[0].changes.sort(), [
    'changed name',
    'created the key "new"',
    'revoked the key "agent"',
    'revoked the key "nightly report"',
  ])
  assert.ok(!('keys' in shown))
  assert.deepEqual(await traces(vitrine), before)
})

test('--dry-run on a new machine shows what would be created, and creates nothing', async (t) => {
  const { vitrine, apply } = setUp(t)
  vitrine.env.DATABASE_URL = await freshDatabaseUrl(t)
  const nameless = { slug: 'nameless' }
  const file = vitrine.writeFile('new.json', JSON.stringify(fileOf(ACME, nameless)))
  const { code, stdout, stderr } = await vitrine.run('apply', file, '--dry-run', '--keys-to', 'keys.ndjson')
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /^There is no database of Vitrine yet; it would be created: .+\.$/m)
  assert.match(stderr, /^acme: created the workspace\nacme: added ada@acme\.example as owner\nacme: created the key/m)
  assert.match(stderr, /^nameless: not applied: there is no such workspace yet/m)
  assert.match(stderr, /^Dry run, nothing was changed\. Workspaces: 1 created, 0 changed, 0 unchanged, 1 failed\.$/m)
  assert.deepEqual(readdirSync(vitrine.folder), ['new.json'])
  assert.equal((await apply(fileOf(ACME), '--dry-run')).created, 1)
})

testOnce('--dry-run does not migrate an older database', async (t) => {
  const { vitrine } = setUp(t)
  await vitrine.ok('workspace', 'create', '--slug', 'acme', '--name', 'Acme')
  await vitrine.execute('PRAGMA user_version = 13')
  const file = vitrine.writeFile('acme.json', JSON.stringify(fileOf(ACME)))
  assert.match(await vitrine.fails(1, 'apply', file, '--dry-run'), /is of an older version; run '.*migrate' first/)
})

test('all faults of a file are shown at once, and --dry-run also shows what else would fail', async (t) => {
  const { vitrine } = setUp(t)
  const faulty = {
    slug: 'Acme',
    name: 5,
    timezone: 'Mars/Phobos',
    currency: 'euro',
    colour: 'red',
    members: [{ email: 'ada', role: 'owner' }, { role: 'god' }],
    keys: [{ label: '', expires: 'soon' }, {}],
  }
  const file = vitrine.writeFile('faulty.json', JSON.stringify(fileOf(faulty, { slug: 'nameless' }, ACME)))
  const faults = [
    /^workspaces\.0\.colour: is not a known field$/m,
    /^workspaces\.0\.name: must be a string$/m,
    /^workspaces\.0: the slug must be /m,
    /^workspaces\.0: .*Mars\/Phobos/m,
    /^workspaces\.0: "euro" is not an ISO 4217 currency code/m,
    /^workspaces\.0\.members\.0: /m,
    /^workspaces\.0\.members\.1\.email: is required$/m,
    /^workspaces\.0\.members\.1\.role: must be one of /m,
    /^workspaces\.0\.keys\.0\.label: /m,
    /^workspaces\.0\.keys\.0\.expires: /m,
    /^workspaces\.0\.keys\.1\.label: is required$/m,
  ]
  const refused = await vitrine.fails(1, 'apply', file)
  for (const fault of faults) assert.match(refused, fault)
  assert.match(refused, /^vitrine: nothing was changed: the file has 11 faults$/m)
  const shown = await vitrine.fails(1, 'apply', file, '--dry-run')
  for (const fault of faults) assert.match(shown, fault)
  assert.match(shown, /^nameless: not applied: there is no such workspace yet/m)
  assert.match(shown, /^acme: created the workspace$/m)
  assert.match(shown, /^vitrine: the file has 11 faults, and 1 workspace not applied$/m)
  assert.match(
    await vitrine.fails(1, 'apply', file, '--dry-run', '--keys-to', 'none/k'),
    /^vitrine: none: no such file/m,
  )
})

test('the newest key of a label that has not ended counts; a revoked key is created again, an expired one is not', async (t) => {
  const { vitrine, apply } = setUp(t)
  const ended = { label: 'ended', expires: '2020-01-01' }
  const file = fileOf({ slug: 'acme', name: 'Acme', keys: [{ label: 'agent' }, ended] })
  const [first] = (await apply(file)).keys
  assert.equal(first.label, 'agent')
  await vitrine.ok('key', 'rotate', first.id)
  assert.deepEqual((await apply(file)).keys, [])
  for (const { id } of await keysOf(vitrine)) await vitrine.ok('key', 'revoke', id)
  assert.deepEqual(
    (await apply(file)).keys.map(({ label }: { label: string }) => label),
    ['agent'],
  )
})

const faults: [content: string, message: RegExp][] = [
  ['', /the file is not JSON/],
  ['{"workspaces": [{"slug": "a",', /the file is not JSON/],
  ['[]', /the file must be \{"workspaces": \[…\]\}, or have one workspace per line/],
  ['{"workspaces": [], "prune": true}', /the file must be/],
  ['{"slug": "a", "name": "A"}\nnope', /^line 2: must be an object$/m],
  ['{"workspaces": [{"slug": "a"}, {"slug": "a"}]}', /^workspaces\.1\.slug: is listed twice$/m],
  ['{"slug": "a", "zone": "UTC"}', /^line 1\.zone: is not a known field$/m],
  ['{"slug": "a", "timezone": "europe/london"}', /^line 1: the timezone "europe\/london" is spelled Europe\/London/m],
  ['{"slug": "a", "keys": [{"label": "x"}, {"label": " x "}]}', /^line 1\.keys\.1\.label: is listed twice/m],
  ['{"slug": "a", "keys": [{"label": "x", "rateLimit": "9"}]}', /^line 1\.keys\.0\.rateLimit: must be <limit>/m],
  ['{"slug": "a", "keys": [{"label": "x", "networks": ["9"]}]}', /^line 1\.keys\.0\.networks: must be at most 50/m],
  ['{"slug": "a", "keys": [{"label": "x", "networks": []}]}', /^line 1\.keys\.0\.networks: must have at least 1 item/m],
  [
    '{"slug": "a", "keys": [{"label": "x", "only": {"tasks": "a"}}]}',
    /^line 1\.keys\.0\.only\.tasks: must be an object/m,
  ],
  [
    '{"slug": "a", "keys": [{"label": "x", "only": {"tasks": {"book": ["a"]}}}]}',
    /^line 1\.keys\.0\.only: tasks cannot be limited by "book"; use bookKey/m,
  ],
  [
    '{"slug": "a", "keys": [{"label": "x", "permissions": ["task:read"]}]}',
    /unknown permission "task:read"; did you mean tasks:read/,
  ],
]

testOnce('a file with a fault changes nothing, and each fault is reported with its position', async (t) => {
  const { vitrine } = setUp(t)
  for (const [content, message] of faults) {
    const { code, stdout, stderr } = await vitrine.run('apply', vitrine.writeFile('bad.json', content))
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, content)
    assert.match(stderr, message)
  }
})
