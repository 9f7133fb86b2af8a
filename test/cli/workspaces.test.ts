import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { acmeProgram, program } from '../support/program.ts'

test('a workspace is created with its defaults and listed', async (t) => {
  const vitrine = program(t)
  const made = JSON.parse(
    await vitrine.ok(
      ...['workspace', 'create', '--name', 'Åcme & Söhne', '--slug', 'acme-1', '--timezone', 'Asia/Tokyo'],
      ...['--currency', 'JPY', '--country', 'JP', '--json'],
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
  assert.deepEqual(await vitrine.json('workspace', 'list'), [made])
  assert.match(
    await vitrine.ok('workspace', 'list'),
    /^SLUG +NAME .*\nacme-1 +Åcme & Söhne +Asia\/Tokyo +JPY +JP +available +ws_/,
  )
})

const textResponse = async (url: string, key: string, path: string) => {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('an update changes only the given values, is seen by the next request, and is recorded with both values', async (t) => {
  const vitrine = program(t)
  await vitrine.ok(
    ...['workspace', 'create', '--name', 'Acme', '--slug', 'acme', '--timezone', 'UTC', '--country', 'GB'],
  )
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  const server = await vitrine.serve()
  const workspace = async () => (await textResponse(server.url, key, '/workspace')).body.workspace as { id: string }
  const before = await workspace()
  const update = ['workspace', 'update', 'acme']
  assert.equal(
    (await vitrine.run(...update, '--name', 'Acme & Co', '--timezone', 'Asia/Tokyo')).stderr,
    'Changed name, timezone of acme.\n',
  )
  assert.deepEqual(await workspace(), { ...before, name: 'Acme & Co', timezone: 'Asia/Tokyo' })
  const [entry] = await vitrine.jsonLines('audit', '--workspace', 'acme')
  assert.deepEqual(
    { action: entry.action, subject: entry.subject, detail: entry.detail },
    {
      action: 'workspace.updated',
      subject: before.id,
      detail: {
        slug: 'acme',
        before: { name: 'Acme', timezone: 'UTC' },
        after: { name: 'Acme & Co', timezone: 'Asia/Tokyo' },
      },
    },
  )
  const updated = await vitrine.json(...update, '--currency', 'JPY', '--country', 'none')
  assert.deepEqual([updated.currencyCode, updated.countryCode], ['JPY', null])
  assert.deepEqual(await workspace(), {
    ...{ ...before, name: 'Acme & Co', timezone: 'Asia/Tokyo', currencyCode: 'JPY', countryCode: null },
  })
})

test('a deletion without --yes shows what would be deleted, and does nothing', async (t) => {
  const { vitrine } = await withContents(t)
  const { code, stdout, stderr } = await vitrine.run('workspace', 'delete', 'acme')
  assert.deepEqual(
    { code, stdout, stderr },
    {
      code: 2,
      stdout: '',
      stderr: 'vitrine: this would delete acme with 2 tasks, 1 member, 1 source (keys in use: 1); add --yes to do it\n',
    },
  )
  assert.equal((await vitrine.jsonLines('audit', '--workspace', 'acme'))[0].action, 'key.revoked')
})

/** A workspace with two tasks, a member, a source, a key and a revoked key; and another one. */
async function withContents(t: TestContext) {
  const vitrine = await acmeProgram(t)
  const id = vitrine.workspaceId
  await vitrine.ok('workspace', 'create', '--name', 'Other', '--slug', 'other')
  vitrine.writeFile('tasks.json', '[{"id":"a","title":"A"},{"id":"b","title":"B"}]')
  for (const slug of ['acme', 'other']) await vitrine.ok('task', 'import', '--workspace', slug, 'tasks.json')
  await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', 'a@b.example', '--role', 'owner')
  await vitrine.execute(
    `INSERT INTO sources (workspace_id, list, name, created_at) VALUES ('${id}', 'tasks', 'jira', '2026-11-15T12:00:00.000Z')`,
  )
  const { token: key } = await vitrine.createKey()
  const revoked = await vitrine.createKey()
  await vitrine.ok('key', 'revoke', revoked.id)
  return { vitrine, id, key }
}

test('the next request finds a deleted workspace gone; its keys and log remain, and give access to nothing else', async (t) => {
  const { vitrine, id, key } = await withContents(t)
  const server = await vitrine.serve()
  assert.equal((await textResponse(server.url, key, '/workspace')).status, 200)
  assert.equal(((await textResponse(server.url, key, '/tasks')).body.tasks as unknown[]).length, 2)
  const deleted = await vitrine.json('workspace', 'delete', 'acme', '--yes')
  assert.deepEqual(deleted, { id, slug: 'acme', deleted: { tasks: 2, members: 1, sources: 1 }, keys: 1 })

  const gone = await textResponse(server.url, key, '/workspace')
  assert.deepEqual([gone.status, gone.body.code], [404, 'workspace_not_found'])
  assert.deepEqual(await textResponse(server.url, key, '/tasks'), { status: 200, body: { tasks: [] } })
  for (const table of ['list_items', 'stored_lists', 'members', 'sources'])
    assert.deepEqual(await vitrine.query(`SELECT 1 FROM ${table} WHERE workspace_id = '${id}'`), [])
  assert.equal((await vitrine.query('SELECT id FROM list_items')).length, 2)
  assert.equal((await vitrine.json('key', 'list', '--workspace', id)).length, 2)
  const [entry] = await vitrine.jsonLines('audit', '--workspace', id)
  assert.deepEqual(
    [entry.action, entry.detail],
    ['workspace.deleted', { name: 'Acme', slug: 'acme', tasks: 2, members: 1, sources: 1, keys: 1 }],
  )
  assert.match(await vitrine.ok('audit', 'verify'), /^ok/)

  // Another workspace with the same slug has another id, so the old one's keys do not open it.
  const again = await vitrine.json('workspace', 'create', '--name', 'New', '--slug', 'acme')
  assert.notEqual(again.id, id)
  await vitrine.ok('task', 'import', '--workspace', 'acme', 'tasks.json')
  assert.equal((await textResponse(server.url, key, '/workspace')).status, 404)
  assert.deepEqual((await textResponse(server.url, key, '/tasks')).body, { tasks: [] })
  assert.deepEqual(await vitrine.json('key', 'list', '--workspace', 'acme'), [])
  assert.deepEqual(await vitrine.json('member', 'list', '--workspace', 'acme'), [])
})
