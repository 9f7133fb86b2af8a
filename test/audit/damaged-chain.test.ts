import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connectElsewhere, writeUnchecked } from '../support/database.ts'
import { startOperator } from '../support/operator.ts'
import { Browser, fieldOf, KEYS } from '../support/person.ts'
import { program } from '../support/program.ts'

async function startAcme(t: TestContext) {
  const operator = await startOperator(t)
  const vitrine = program(t, { DATABASE_URL: operator.url })
  const [revoked, paused] = [await operator.createKey(), await operator.createKey()]
  for (const email of ['ana@acme.example', 'ines@acme.example'])
    await vitrine.ok('member', 'add', '--workspace', 'acme', '--email', email, '--role', 'owner')
  return { ...operator, vitrine, revoked, paused, tamper: (sql: string) => writeUnchecked(operator.url, sql) }
}

/** Every change that ends access, the last of which removes the log. */
const endings = (revoked: string, paused: string) => [
  ['key', 'pause', paused],
  ['key', 'revoke', revoked],
  ['member', 'remove', '--workspace', 'acme', '--email', 'ana@acme.example'],
  ['workspace', 'archive', 'acme'],
  ['workspace', 'delete', 'acme', '--yes', '--purge'],
]

const NOT_TAKEN =
  /^vitrine: \S+ in the workspace ws_\w+ was done, but the audit log could not record it; run 'vitrine audit verify': /

test('the database accepts an entry only after the last one of its chain, and moves the head itself', async (t) => {
  const { store, url, workspace } = await startOperator(t)
  const elsewhere = await connectElsewhere(url, t)
  const [head] = await elsewhere.all<{ number: number; hash: string }>('SELECT number, hash FROM audit_heads')
  const insert = (number: number, previousHash: string, id = workspace.id) =>
    elsewhere.run(
      `INSERT INTO audit (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash)
       VALUES ('2026-11-15T09:00:00.000Z', '${id}', 'x', 'y', 'z', '{}', ${number}, '${previousHash}', 'new')`,
    )
  const next = Number(head?.number) + 1
  for (const [number, previous] of [
    [next, 'other'],
    [next + 1, head?.hash],
    [next - 1, head?.hash],
    [next + 1e15, head?.hash],
  ] as const)
    await assert.rejects(insert(number, String(previous)), /must follow the last one|UNIQUE|audit_number/, `${number}`)
  for (const changes of [`number = ${next}`, `hash = 'other'`, 'number = number + 1e15', `workspace_id = 'other'`])
    await assert.rejects(elsewhere.run(`UPDATE audit_heads SET ${changes}`), /can only become its last entry/, changes)
  await insert(next, String(head?.hash))
  const heads = await store.read((tx) => tx.all('SELECT number, hash FROM audit_heads'))
  assert.deepEqual(
    heads.map((row) => ({ ...(row as object) })),
    [{ number: next, hash: 'new' }],
  )
})

for (const [damage, sql] of [
  ['lags', 'UPDATE audit_heads SET number = 1, hash = (SELECT hash FROM audit WHERE number = 1)'],
  ['is missing', 'DELETE FROM audit_heads'],
] as const)
  test(`a head that ${damage} is repaired by the next entry, and ends no access late`, async (t) => {
    const { vitrine, revoked, paused, tamper } = await startAcme(t)
    await tamper(sql)
    assert.equal((await vitrine.run('audit', 'verify')).code, 1)
    const [first = [], ...others] = endings(revoked.id, paused.id)
    await vitrine.ok(...first)
    assert.match(await vitrine.ok('audit', 'verify'), /^ok {4}acme: 6 entries/)
    for (const command of others) await vitrine.ok(...command)
  })

test('access ends even if the log can take no entry, which every command reports', async (t) => {
  const { vitrine, revoked, paused, tamper, store } = await startAcme(t)
  await tamper('UPDATE audit_heads SET number = 9223372036854775807')
  for (const command of endings(revoked.id, paused.id)) {
    const { code, stderr } = await vitrine.run(...command)
    assert.match(stderr.split('\n').find((line) => line.startsWith('vitrine:')) ?? stderr, NOT_TAKEN)
    assert.equal(code, 1, stderr)
  }
  const left =
    'SELECT id FROM workspaces UNION ALL SELECT id FROM api_keys UNION ALL SELECT workspace_id FROM audit_heads'
  assert.deepEqual(await store.read((tx) => tx.all(left)), [])
})

test('what gives access is refused if the log cannot take it', async (t) => {
  const { vitrine, tamper } = await startAcme(t)
  await tamper('UPDATE audit_heads SET number = 9223372036854775807')
  await vitrine.fails(1, 'key', 'create', '--workspace', 'acme', '--label', 'unlogged')
  assert.equal((await vitrine.json('key', 'list', '--workspace', 'acme')).length, 2)
})

test('a server revokes keys whatever the state of the log, and logs it', async (t) => {
  const { vitrine, revoked, tamper, store } = await startAcme(t)
  const server = await vitrine.serve()
  const browser = new Browser(server.url)
  await browser.signIn(store, 'ines@acme.example')
  const csrf = fieldOf(await browser.get(`${KEYS}/${revoked.id}/revoke`), 'csrf')
  await tamper('UPDATE audit_heads SET number = 9223372036854775807')
  assert.equal((await browser.post(`${KEYS}/${revoked.id}/revoke`, { csrf })).status, 303)
  const response = await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${revoked.token}` } })
  assert.equal(response.status, 401)
  await server.stop()
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.includes('the audit log could not record it'))
  assert.equal(lines.length, 1)
  assert.match(JSON.parse(lines[0] ?? '').failure.message, /^key\.revoked in the workspace ws_\w+ was done/)
})

test('a revision that cannot be counted up does not keep a workspace open', async (t) => {
  const { vitrine, tamper } = await startAcme(t)
  await tamper('UPDATE revisions SET number = 9223372036854775807')
  await vitrine.ok('workspace', 'archive', 'acme')
})
