import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acmeProgram } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

const ask = async (url: string, key: string, path = '/tasks') =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).headers.get('x-request-id')

test('a key log shows and filters the requests of a key or a workspace, and no others', async (t) => {
  const vitrine = await acmeProgram(t)
  const [one, other] = [await vitrine.createKey(), await vitrine.createKey()]
  const server = await vitrine.start('serve')
  const log = (...words: string[]) => vitrine.jsonLines('key', 'log', ...words)
  const ids = async (...words: string[]) => (await log(...words)).map(({ requestId }) => requestId)
  const first = await ask(server.url, one.token)
  const foreign = await ask(server.url, other.token, '/workspace')
  await vitrine.ok('key', 'pause', one.id)
  const refused = await ask(server.url, one.token)
  await waitUntil(async () => (await ids('--workspace', 'acme')).length === 3)

  assert.deepEqual(await ids(one.id), [first, refused])
  assert.deepEqual(new Set(await ids('--workspace', 'acme')), new Set([first, foreign, refused]))
  assert.deepEqual(await ids(one.id, '--status', 'refused'), [refused])
  assert.deepEqual(await ids(one.id, '--limit', '1'), [refused])
  assert.deepEqual(await ids('--workspace', 'acme', '--status', 'refused'), [refused])
  const table = await vitrine.ok('key', 'log', one.id)
  assert.match(
    table,
    /^TIME +REQUEST +TOOL +STATUS +REASON .*REQUEST ID\n.* GET \/tasks +- +200 .*\n.* 401 +paused .*$/,
  )
  for (const [words, message] of [
    [[], /name either a key by its id, or a workspace/],
    [['key_nope'], /no key has the id key_nope/],
    [[one.id, '--status', 'bad'], /Allowed choices are ok, refused, failed/],
    [[one.id, '--workspace', 'acme'], /name either a key/],
  ] as const) {
    const { code, stderr } = await vitrine.run('key', 'log', ...words)
    assert.ok(code !== 0, words.join(' '))
    assert.match(stderr, message)
  }
  await vitrine.ok('workspace', 'create', '--name', 'Other', '--slug', 'other')
  assert.deepEqual(await ids('--workspace', 'other'), [])

  // A batch is written every two seconds, so all but the last requests survive.
  await ask(server.url, one.token)
  await server.stop('SIGKILL')
  const kept = await ids(one.id)
  assert.deepEqual(kept.slice(0, 2), [first, refused])

  await vitrine.ok('workspace', 'delete', 'acme', '--yes')
  assert.deepEqual(await vitrine.query('SELECT 1 FROM request_log'), [], 'they contain people’s addresses')
})

test('a server removes requests older than 7 days', async (t) => {
  const vitrine = await acmeProgram(t)
  const { id } = await vitrine.createKey()
  await vitrine.execute(
    `INSERT INTO request_log (workspace_id, key_id, number, at, request_id, operation, status, outcome, ms, bytes)
     SELECT workspace_id, id, 1, '2026-01-01T00:00:00.000Z', 'ancient', 'GET /tasks', 200, 'ok', 1, 0
     FROM api_keys WHERE id = '${id}'`,
  )
  const left = () => vitrine.query('SELECT 1 FROM request_log')
  assert.equal((await left()).length, 1)
  const server = await vitrine.serve()
  await waitUntil(async () => (await left()).length === 0)
  await server.stop()
})
