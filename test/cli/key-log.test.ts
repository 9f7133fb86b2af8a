import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acmeProgram } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

const ask = async (url: string, key: string, path = '/tasks') =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })).headers.get('x-request-id')

test('a key log shows, filters and follows the requests of a key or a workspace, and no others', async (t) => {
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
  assert.deepEqual(await ids(one.id, '--since', '2099-01-01T00:00:00Z'), [])
  assert.deepEqual(await ids(one.id, '--since', '1h', '--workspace', 'acme', '--status', 'ok'), [first])
  const table = await vitrine.ok('key', 'log', one.id)
  assert.match(
    table,
    /^TIME +REQUEST +TOOL +STATUS +REASON .*REQUEST ID\n.* GET \/tasks +- +200 .*\n.* 401 +paused .*$/,
  )
  for (const [words, message] of [
    [[], /name a key by its id, or a workspace/],
    [['key_nope'], /no key has the id key_nope/],
    [[one.id, '--status', 'bad'], /Allowed choices are ok, refused, failed/],
    [[one.id, '--since', 'yesterday'], /--since: must be a duration/],
  ] as const) {
    const { code, stderr } = await vitrine.run('key', 'log', ...words)
    assert.ok(code !== 0, words.join(' '))
    assert.match(stderr, message)
  }
  await vitrine.ok('workspace', 'create', '--name', 'Other', '--slug', 'other')
  assert.match((await vitrine.run('key', 'log', one.id, '--workspace', 'other')).stderr, /is not a key of other/)
  assert.deepEqual(await ids('--workspace', 'other'), [])

  const followed = await vitrine.begin('key', 'log', one.id, '--follow', '--json')
  await followed.printed(refused ?? '')
  await vitrine.ok('key', 'resume', one.id)
  const later = await ask(server.url, one.token)
  await followed.printed(later ?? '')
  await followed.stop('SIGKILL')
  const shown = followed.output().match(/"requestId":"[^"]+"/g) ?? []
  assert.deepEqual(
    shown.map((member) => member.slice(13, -1)),
    [first, refused, later],
    'each is shown once',
  )

  // A batch is written every two seconds, so all but the last requests survive.
  await ask(server.url, one.token)
  await server.stop('SIGKILL')
  const kept = await ids(one.id)
  assert.deepEqual(kept.slice(0, 3), [first, refused, later])
  assert.ok(kept.length <= 4)

  await vitrine.ok('workspace', 'delete', 'acme', '--yes')
  assert.deepEqual(await vitrine.query('SELECT 1 FROM request_log'), [], 'they contain people’s addresses')
})

test('following a busy key does not print older requests as new, and a server removes those older than 7 days', async (t) => {
  const vitrine = await acmeProgram(t)
  const { id } = await vitrine.createKey()
  const log = (requestId: string, secondsAgo: number) =>
    vitrine.execute(
      `INSERT INTO request_log (workspace_id, key_id, number, at, request_id, operation, status, outcome, ms, bytes)
       SELECT workspace_id, id, 1, '${new Date(Date.now() - 1000 * secondsAgo).toISOString()}', '${requestId}', 'GET /tasks', 200, 'ok', 1, 0
       FROM api_keys WHERE id = '${id}'`,
    )
  await log('ancient', 8 * 86_400)
  for (const [i, name] of ['older', 'old', 'shown', 'newest'].entries()) await log(name, 20 - i)
  const limited = await vitrine.begin('key', 'log', id, '--follow', '--json', '--limit', '2')
  const since = await vitrine.begin('key', 'log', id, '--follow', '--json', '--since', '1h')
  for (const followed of [limited, since]) await followed.printed('"newest"')
  await log('added', 0)
  for (const followed of [limited, since]) await followed.printed('"added"')
  const printed = (output: string) => [...output.matchAll(/"requestId":"([^"]+)"/g)].map(([, name]) => name)
  assert.deepEqual(printed(limited.output()), ['shown', 'newest', 'added'])
  assert.deepEqual(printed(since.output()), ['older', 'old', 'shown', 'newest', 'added'])
  for (const followed of [limited, since]) await followed.stop('SIGKILL')

  const left = async () =>
    (await vitrine.query<{ name: string }>('SELECT request_id AS name FROM request_log ORDER BY at')).map(
      ({ name }) => name,
    )
  // On each insert, the database itself removes old rows.
  await vitrine.execute('DELETE FROM request_log')
  await log('ancient', 8 * 86_400)
  assert.deepEqual(await left(), ['ancient'])
  const server = await vitrine.serve()
  await waitUntil(async () => (await left()).length === 0)
  await server.stop()
})
