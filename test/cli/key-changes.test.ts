import assert from 'node:assert/strict'
import { acmeProgram, type Program } from '../support/program.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(acmeProgram)

const ask = async (url: string, key: string, path = '/tasks', headers: Record<string, string> = {}) =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${key}`, ...headers } })).status

const create = async (vitrine: Program, label: string, ...more: string[]) =>
  await vitrine.json('key', 'create', '--workspace', 'acme', '--label', label, ...more)

const stateOf = async (vitrine: Program, id: string) =>
  (await vitrine.json('key', 'list', '--workspace', 'acme')).find((key: { id: string }) => key.id === id).state

test("a key is paused and resumed, and a running server's next request sees it", async (vitrine) => {
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

test("a key's permissions and networks are chosen, changed, and seen by the next request", async (vitrine) => {
  const server = await vitrine.serve()
  const { id, key, networks } = await create(vitrine, 'x', '--network', '127.0.0.1,2001:DB8::1/32')
  assert.deepEqual(networks, ['127.0.0.1', '2001:db8::1/32'])
  assert.equal(await ask(server.url, key), 200)
  const { code, stderr } = await vitrine.run(
    ...['key', 'update', id, '--permissions', 'workspace:read', '--network', '203.0.113.0/24'],
  )
  const changes = 'permissions: workspace:read, networks: 203.0.113.0/24'
  assert.deepEqual([code, stderr], [0, `Changed ${id}: ${changes}.\n`])
  assert.equal(await ask(server.url, key), 401)
  assert.match(await vitrine.ok('key', 'show', id), /^networks +203\.0\.113\.0\/24$/m)
  const [listed] = await vitrine.json('key', 'list', '--workspace', 'acme')
  assert.deepEqual([listed.networks, listed.permissions, listed.client], [['203.0.113.0/24'], ['workspace:read'], null])
  const rotated = await vitrine.json('key', 'rotate', id)
  assert.deepEqual(rotated.networks, ['203.0.113.0/24'])
  assert.equal((await vitrine.json('key', 'update', id, '--network', 'everywhere')).networks, null)
  assert.deepEqual([await ask(server.url, key), await ask(server.url, key, '/workspace')], [403, 200])
  for (const wrong of ['10.0.0.0/33', 'home', ',']) {
    const refused = await vitrine.run('key', 'update', id, '--network', wrong)
    assert.deepEqual([refused.code, refused.stdout], [2, ''])
    assert.match(refused.stderr, /--network: must be at most 50 addresses or networks in CIDR notation/)
  }
})

test('a key can be limited to some rows, and a command shows and changes the limit', async (vitrine) => {
  const server = await vitrine.serve()
  const tasks = ['linen', 'wool', 'cotton, blue'].map((bookKey) => JSON.stringify({ id: bookKey, title: 'T', bookKey }))
  await vitrine.ok('task', 'import', vitrine.writeFile('t.ndjson', tasks.join('\n')), '--workspace', 'acme')
  const limit = ['--only', 'tasks.bookKey=wool,cotton\\, blue', '--only', 'tasks.bookKey=wool']
  const { id, key, only } = await create(vitrine, 'x', ...limit)
  assert.deepEqual(only, { tasks: { bookKey: ['cotton, blue', 'wool'] } })
  const seen = async () => {
    const response = await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })
    return ((await response.json()) as { tasks: { id: string }[] }).tasks.map((task) => task.id)
  }
  assert.deepEqual(await seen(), ['wool', 'cotton, blue'])
  assert.match(await vitrine.ok('key', 'show', id), /^only +tasks\.bookKey=cotton\\, blue,wool$/m)
  const changed = await vitrine.run('key', 'update', id, '--only', 'tasks.bookKey=linen')
  assert.deepEqual([changed.code, changed.stderr], [0, `Changed ${id}: only: tasks.bookKey=linen.\n`])
  assert.deepEqual(await seen(), ['linen'])
  const { id: successor, only: kept } = await vitrine.json('key', 'rotate', id)
  assert.deepEqual(kept, { tasks: { bookKey: ['linen'] } })
  assert.match(await vitrine.ok('key', 'list', '--workspace', 'acme'), /tasks\.bookKey=linen/)
  assert.equal((await vitrine.json('key', 'update', id, '--only', 'everything')).only, null)
  assert.equal((await seen()).length, 3)
  const wrong = await vitrine.run('key', 'update', successor, '--only', 'tasks.title=T')
  assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
  assert.match(
    wrong.stderr,
    /--only: tasks cannot be limited by "title"; use bookKey, assigneeEmail, or sourceSessionId/,
  )
  const unread = await vitrine.run('key', 'update', successor, '--permissions', 'workspace:read')
  assert.equal(unread.code, 1)
  assert.match(unread.stderr, /limited to some tasks, which it may not read/)
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
  assert.match(text, /^DAY \(\S+\) +SERVED +REFUSED\n20\d\d-\d\d-\d\d +1 +1 forbidden$/m)
  assert.match(text, /^CALLER +ADDRESS .*\ncurl\/8 +127\.0\.0\.1 +1 /m)
  const shown = await vitrine.json('key', 'show', id)
  assert.partialDeepStrictEqual(shown, { id, workspace: 'acme', useCount: 1, successors: [], predecessor: null })
  assert.deepEqual(shown.days.at(-1).refused, { forbidden: 1 })
  assert.ok(!JSON.stringify(shown).includes(key.slice(10)))
  assert.match(await vitrine.ok('key', 'show', (await create(vitrine, 'x')).id), /^Not used in the last 30 days\.$/m)
})
