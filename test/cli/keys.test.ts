import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { MAX_OPEN_KEYS } from '../../src/keys/records.ts'
import { acmeProgram } from '../support/program.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(acmeProgram)

const ask = async (url: string, key: string, path = '/workspace') =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).status

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

test('a key revoked by another process is refused by the next request', async (vitrine) => {
  const server = await vitrine.serve()
  const made = await vitrine.json('key', 'create', '--workspace', 'acme', '--label', 'x')
  assert.equal(await ask(server.url, made.key), 200)
  const { code, stdout, stderr } = await vitrine.run('key', 'revoke', made.id)
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: `Revoked ${made.id} ("x").\n` })
  assert.equal(await ask(server.url, made.key), 401)

  assert.match(
    await vitrine.fails(1, 'key', 'revoke', made.id),
    /^vitrine: the key key_\w+ was already revoked on 20.*\n$/,
  )
})

test('a rotation creates a second key with the same permissions; the first works until the overlap ends', async (vitrine) => {
  const server = await vitrine.serve()
  const old = JSON.parse(
    await vitrine.ok(
      ...['key', 'create', '--workspace', 'acme', '--label', 'x', '--permissions', 'tasks:read'],
      ...['--rate-limit', '7;w=9', '--json'],
    ),
  )
  const successor = await vitrine.ok('key', 'rotate', old.id, '--overlap', '1h')
  assert.equal(await ask(server.url, old.key, '/tasks'), 200)
  assert.equal(await ask(server.url, successor, '/tasks'), 200)
  assert.equal(await ask(server.url, successor, '/workspace'), 403)

  const [first, second] = await vitrine.json('key', 'list', '--workspace', 'acme')
  assert.equal(first.state, 'rotating')
  assert.ok(Date.parse(first.retiresAt) - Date.now() <= 3_600_000)
  assert.equal(second.replaces, old.id)
  assert.deepEqual(second.quota, { limit: 7, windowSeconds: 9 })

  assert.equal(
    await vitrine.fails(1, 'key', 'rotate', old.id),
    `vitrine: the key ${old.id} has already been rotated; rotate its successor ${second.id}, or undo it with 'vitrine key cancel-rotation ${old.id}'\n`,
  )

  const third = await vitrine.ok('key', 'rotate', second.id, '--overlap', '0')
  assert.equal(await ask(server.url, successor, '/tasks'), 401)
  assert.equal(await ask(server.url, third, '/tasks'), 200)
})

test('key purge removes ended keys, and the log records it; the list prints all keys', async (vitrine) => {
  const { workspaceId } = vitrine
  const create = async (label: string): Promise<{ id: string; key: string }> =>
    await vitrine.json('key', 'create', '--workspace', 'acme', '--label', label)
  const [kept, ended] = [await create('kept'), await create('ended')]
  await vitrine.ok('key', 'revoke', ended.id)
  assert.equal((await vitrine.run('key', 'purge', '--ended-before', '1d')).stderr, 'No keys ended that long ago.\n')
  const purged = await vitrine.ok('key', 'purge', '--ended-before', '0', '--json')
  assert.deepEqual(JSON.parse(purged), { workspace: 'acme', workspaceId, removed: 1 })
  const [entry] = (await vitrine.ok('audit', '--workspace', 'acme', '--json')).split('\n')
  assert.equal(JSON.parse(entry ?? '').action, 'key.purged')
  await vitrine.transaction(async (tx) => {
    for (let i = 0; i < MAX_OPEN_KEYS + 1; i++)
      await tx.run(
        `INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, created_by, created_at)
         VALUES (?, ?, ?, 'vtr_000000', ?, 'tasks:read', 'test', '2099-01-01T00:00:00.000Z')`,
        ...[`key_${i}`, workspaceId, hash('sha256', String(i)), `label ${i}`],
      )
  })
  const listed = (await vitrine.json('key', 'list', '--workspace', 'acme')) as { id: string }[]
  assert.deepEqual([listed.length, listed[0]?.id], [MAX_OPEN_KEYS + 2, kept.id])
  const table = (await vitrine.ok('key', 'list', '--workspace', 'acme')).trim().split('\n')
  assert.equal(table.length, MAX_OPEN_KEYS + 3, 'one header')
  const attention = JSON.parse(await vitrine.ok('key', 'list', '--attention'))
  assert.deepEqual([attention.total, attention.never_expires], [0, MAX_OPEN_KEYS + 2])
})
