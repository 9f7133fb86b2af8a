import assert from 'node:assert/strict'
import { testWith } from '../support/database.ts'
import { acmeProgram, type Program } from '../support/program.ts'

const test = testWith(acmeProgram)

const ask = async (url: string, key: string, path = '/tasks', headers: Record<string, string> = {}) =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${key}`, ...headers } })).status

const create = async (vitrine: Program, label: string, ...more: string[]) =>
  await vitrine.json('key', 'create', '--workspace', 'acme', '--label', label, ...more)

const stateOf = async (vitrine: Program, id: string) =>
  (await vitrine.json('key', 'list', '--workspace', 'acme')).find((key: { id: string }) => key.id === id).state

test('only the key is printed on stdout; it works immediately on a running server, and is not in its log', async (vitrine) => {
  const server = await vitrine.serve()
  const { stdout, stderr } = await vitrine.run('key', 'create', '--workspace', 'acme', '--label', 'nightly report')
  assert.match(stdout, /^vtr_[0-9A-Za-z]{49}\n$/)
  assert.match(stderr, /^Created key_[0-9a-f]{18} \("nightly report"\)\. The key is shown only once/)
  const key = stdout.trim()
  assert.equal(await ask(server.url, key), 200)
  await server.stop()
  assert.ok(!server.output().includes(key.slice(4, 30)))
})

test("a key is paused, resumed and revoked, and a running server's next request sees it", async (vitrine) => {
  const server = await vitrine.serve()
  const { id, key } = await create(vitrine, 'x')
  assert.equal(await ask(server.url, key), 200)
  const paused = await vitrine.run('key', 'pause', id)
  assert.deepEqual(paused, { code: 0, stdout: '', stderr: `Paused ${id} ("x").\n` })
  assert.equal(await ask(server.url, key), 401)
  assert.equal(await stateOf(vitrine, id), 'paused')
  assert.match(await vitrine.fails(1, 'key', 'pause', id), /^vitrine: the key key_\w+ has been paused since 20.*\n$/)
  assert.equal((await vitrine.json('key', 'resume', id)).pausedAt, null)
  assert.equal(await ask(server.url, key), 200)
  const notPaused = await vitrine.run('key', 'resume', id)
  assert.deepEqual([notPaused.code, notPaused.stderr], [1, `vitrine: the key ${id} is not paused\n`])
  assert.equal((await vitrine.run('key', 'revoke', id)).stderr, `Revoked ${id} ("x").\n`)
  assert.equal(await ask(server.url, key), 401)
  assert.match(await vitrine.fails(1, 'key', 'revoke', id), /^vitrine: the key key_\w+ was already revoked on 20.*\n$/)
})

test("a key's label, expiry and rate limit are changed, the limit for the next request", async (vitrine) => {
  await vitrine.ok('workspace', 'update', 'acme', '--timezone', 'Pacific/Auckland')
  const server = await vitrine.serve()
  const { id, key } = await create(vitrine, 'x')
  const { code, stdout, stderr } = await vitrine.run(
    ...['key', 'update', id, '--label', ' y ', '--rate-limit', '1;w=3600', '--expires', '2099-12-31'],
  )
  // The last day is in the workspace's timezone: in Auckland, 13 hours ahead in summer, it ends at 11:00 in UTC.
  const end = '2099-12-31T11:00:00.000Z'
  assert.deepEqual(
    { code, stdout, stderr },
    { code: 0, stdout: '', stderr: `Changed ${id}: label: y, rate limit: 1;w=3600, expires: ${end}.\n` },
  )
  assert.deepEqual([await ask(server.url, key), await ask(server.url, key)], [200, 429])
  const back = ['key', 'update', id, '--rate-limit', 'default', '--expires', 'never']
  assert.partialDeepStrictEqual(await vitrine.json(...back), {
    ...{ id, label: 'y', quota: null, expiresAt: null },
  })
  assert.equal(await ask(server.url, key), 200)
  assert.equal((await vitrine.run(...back)).stderr, `${id} already has these values; nothing was changed.\n`)
  const created = await create(vitrine, 'z', '--expires', '2099-12-31')
  assert.equal(created.expiresAt, end)
})

test('a key has permissions, networks and rows, which a command shows and changes', async (vitrine) => {
  const options = ['--network', '127.0.0.1,2001:DB8::1/32', '--only', 'tasks.bookKey=wool,cotton\\, blue']
  const { id, networks, only } = await create(vitrine, 'x', ...options)
  assert.deepEqual(
    [networks, only],
    [['127.0.0.1', '2001:db8::1/32'], { tasks: { bookKey: ['cotton, blue', 'wool'] } }],
  )
  assert.match(await vitrine.ok('key', 'show', id), /^only +tasks\.bookKey=cotton\\, blue,wool$/m)
  const changes = ['--permissions', 'tasks:read', '--network', '203.0.113.0/24', '--only', 'tasks.bookKey=linen']
  assert.equal(
    (await vitrine.run('key', 'update', id, ...changes)).stderr,
    `Changed ${id}: permissions: tasks:read, networks: 203.0.113.0/24, only: tasks.bookKey=linen.\n`,
  )
  assert.match(
    await vitrine.ok('key', 'list', '--workspace', 'acme'),
    / tasks:read .* 203\.0\.113\.0\/24 +tasks\.bookKey=linen /,
  )
  const cleared = await vitrine.json('key', 'update', id, '--network', 'everywhere', '--only', 'everything')
  assert.deepEqual([cleared.networks, cleared.only], [null, null])
  assert.match(
    await vitrine.fails(2, 'key', 'update', id, '--network', 'home'),
    /--network: must be at most 50 addresses/,
  )
  assert.match(
    await vitrine.fails(2, 'key', 'update', id, '--only', 'tasks.title=T'),
    /--only: tasks cannot be limited by/,
  )
  assert.match(
    await vitrine.fails(2, 'key', 'update', id, '--permissions', 'workspace:read', '--only', 'tasks.bookKey=linen'),
    /--only: the key is limited to some tasks, which it may not read/,
  )
})

test('a rotation whose successor was revoked can be cancelled or repeated', async (vitrine) => {
  const { id } = await create(vitrine, 'x')
  const successorOf = async () => (await vitrine.json('key', 'rotate', id)).id
  const first = await successorOf()
  const cancelled = await vitrine.run('key', 'cancel-rotation', id)
  assert.deepEqual(cancelled, { code: 0, stdout: '', stderr: `${id} ("x") keeps working. Revoked ${first}.\n` })
  assert.deepEqual([await stateOf(vitrine, id), await stateOf(vitrine, first)], ['live', 'revoked'])
  const not = await vitrine.run('key', 'cancel-rotation', id)
  assert.deepEqual([not.code, not.stderr], [1, `vitrine: the key ${id} is not being rotated\n`])
  const second = await successorOf()
  await vitrine.ok('key', 'revoke', second)
  const third = await successorOf()
  assert.notEqual(third, second)
  assert.match(await vitrine.ok('key', 'show', id), new RegExp(`^state +rotating to ${third}; works until 20`, 'm'))
  assert.partialDeepStrictEqual(await vitrine.json('key', 'cancel-rotation', id), {
    ...{ id, retiresAt: null, revoked: [{ id: third }] },
  })
})

test("key show prints what the key's page shows", async (vitrine) => {
  const server = await vitrine.serve()
  const { id, key } = await create(vitrine, 'nightly report', '--permissions', 'tasks:read')
  assert.equal(await ask(server.url, key, '/tasks', { 'user-agent': 'curl/8' }), 200)
  assert.equal(await ask(server.url, key, '/workspace', { 'user-agent': 'curl/8' }), 403)
  await server.stop()
  const text = await vitrine.ok('key', 'show', id)
  assert.match(text, new RegExp(`^id +${id}$`, 'm'))
  assert.match(text, /^state +live$/m)
  assert.match(text, /^needs +-$/m)
  assert.match(text, /^workspace +acme$/m)
  const shown = await vitrine.json('key', 'show', id)
  assert.partialDeepStrictEqual(shown, { id, workspace: 'acme', useCount: 1, successors: [], predecessor: null })
  assert.deepEqual(shown.days.at(-1).refused, { forbidden: 1 })
  assert.deepEqual([shown.callers[0].agent, shown.callers[0].count], ['curl/8', 1])
  assert.ok(!JSON.stringify(shown).includes(key.slice(10)))
})

test('key purge removes ended keys, and the log records it', async (vitrine) => {
  const { workspaceId } = vitrine
  await create(vitrine, 'kept')
  await vitrine.ok('key', 'revoke', (await create(vitrine, 'ended')).id)
  assert.equal((await vitrine.run('key', 'purge', '--ended-before', '1d')).stderr, 'No keys ended that long ago.\n')
  const purged = await vitrine.json('key', 'purge', '--ended-before', '0')
  assert.deepEqual(purged, { workspace: 'acme', workspaceId, removed: 1 })
  const [entry] = await vitrine.jsonLines('audit', '--workspace', 'acme')
  assert.equal(entry.action, 'key.purged')
  const listed = await vitrine.json('key', 'list', '--workspace', 'acme')
  assert.deepEqual(
    listed.map(({ label }: { label: string }) => label),
    ['kept'],
  )
})
