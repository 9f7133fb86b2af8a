// On both engines: notices are claimed in concurrent transactions.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openSettingsStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { addTest } from '../../src/notices/outbox.ts'
import { findNotices, lockNotices, saveNotices, unsubscribe, unsubscribeToken } from '../../src/notices/records.ts'
import { resources } from '../../src/resources/index.ts'
import { changeRole, removeMember } from '../support/changes.ts'
import { testOnly, testWith } from '../support/database.ts'
import { type Notices, payloadOf, startNotices } from '../support/notices.ts'
import { waitUntil } from '../support/wait.ts'

const test = testWith(startNotices)

const DAY = 86_400_000
const later = (ms: number) => new Date(Date.now() + ms).toISOString()
const newKey = { permissions: ['tasks:read'], quota: null }

const eventsOf = ({ receiver }: Notices) => receiver.received.flatMap((webhook) => payloadOf(webhook).data.events)

/** One event of each kind. Gives the ids of the keys. */
async function cause(notices: Notices) {
  const { keys, store, workspace, recordLeak, recordRefusals, add } = notices
  const create = async (label: string, expiresAt: string | null = null) =>
    (await keys.create('acme', { ...newKey, label, expiresAt })).key.id
  const leaked = await create('leaked one')
  await recordLeak(leaked, 'url')
  await recordLeak(leaked, 'browser')
  await recordRefusals(await create('busy one'), 'over_quota', 3)
  await recordRefusals(await create('old one'), 'revoked', 50)
  await recordRefusals(await create('clumsy one'), 'forbidden', 49)
  // Two weeks are left in two seconds.
  await create('short one', later(14 * DAY + 2000))
  await create('long one', later(15 * DAY))
  const client = { id: 'https://client.example/c.json', host: 'client.example' }
  await keys.create(
    'acme',
    { ...newKey, label: 'Some agent', expiresAt: null, only: { tasks: { bookKey: ['linen'] } } },
    client,
  )
  await store.transaction((tx) =>
    tx.run(
      `INSERT INTO sources (workspace_id, list, name, created_at, failing_since, failure, failures)
       VALUES (?, 'tasks', 'tracker', ?, ?, 'cannot open /srv/secret/file', 3)`,
      ...[workspace.id, later(-DAY), later(-3_600_000)],
    ),
  )
  await add('bob@acme.example', 'admin')
}

const KINDS = ['connection', 'expiring', 'leaked', 'member', 'quota', 'refused', 'source']

test('each event is reported once, by mail and by webhook, even if two processes detect and send it', async (notices) => {
  await notices.choose()
  await Promise.all([notices.startProcess(), notices.startProcess()])
  await cause(notices)
  await waitUntil(() => new Set(eventsOf(notices).map(({ kind }) => kind)).size === KINDS.length)
  await delay(500)
  const events = eventsOf(notices)
  assert.deepEqual(events.map(({ kind }) => kind).sort(), KINDS)
  const texts = events.map(({ text }) => text).join('\n')
  assert.match(texts, /“leaked one” \(vtr_\w{6}…\) was sent (in a URL|from a web page)/)
  assert.match(texts, /“busy one” \(vtr_\w{6}…\) has used up its quota/)
  assert.match(texts, /“old one” \(vtr_\w{6}…\) were refused 50 times on \S+: after it was revoked\./)
  assert.match(texts, /“short one” \(vtr_\w{6}…\) expires on/)
  assert.match(texts, /test connected “Some agent” at client\.example, which sees only tasks\.bookKey=linen\./)
  assert.match(texts, /test added bob@acme\.example as admin/)
  assert.match(texts, /tasks from tracker has failed since/)
  assert.doesNotMatch(texts, /long one|clumsy one|srv/)
  const ids = notices.receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(ids).size, ids.length)
  await waitUntil(() => notices.mail.received.length >= ids.length)
  assert.equal(notices.mail.received.length, ids.length, 'as many mails as webhooks')
  const mails = notices.mail.received.map(({ raw }) => raw.replace(/=\r\n/g, '')).join('\n')
  for (const label of ['leaked one', 'busy one', 'old one', 'short one', 'Some agent'])
    assert.equal(mails.split(`${label}=E2=80=9D`).length > 1, true, label)
  await waitUntil(async () =>
    (await notices.deliveries()).every(({ state, attempts }) => state === 'sent' && attempts === 1),
  )
})

test('a webhook is signed as in Standard Webhooks, and contains what Slack shows', async (notices) => {
  await notices.choose({ recipients: [] })
  const [row] = await notices.store.read((tx) =>
    tx.all<{ secret: string }>('SELECT webhook_secret AS secret FROM notice_settings'),
  )
  assert.match(row?.secret ?? '', /^whsec_[\w+/]{43}=$/)
  notices.run()
  await notices.add('bob@acme.example', 'admin')
  await waitUntil(() => notices.receiver.received.length === 1)
  const [received] = notices.receiver.received
  assert.ok(received)
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = received.headers
  assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60)
  // By the rules at standardwebhooks.com, not by our own code.
  const key = Buffer.from(row?.secret.slice('whsec_'.length) ?? '', 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${received.body}`).digest('base64')
  assert.equal(signature, `v1,${expected}`)
  assert.equal(received.headers['content-type'], 'application/json')
  const { type, timestamp: at, data, text } = payloadOf(received)
  assert.equal(type, 'notices')
  assert.ok(Date.parse(at) > 0)
  assert.equal(data.id, id)
  assert.deepEqual(data.workspace, { name: 'Acme', slug: 'acme' })
  assert.equal(data.events[0]?.url, 'https://vitrine.example/settings/workspaces/acme/members')
  assert.equal(
    text,
    '[Acme] test added bob@acme.example as admin. https://vitrine.example/settings/workspaces/acme/members',
  )
})

test('a receiver that was down gets the same webhook later; one that stays down is given up and shown', async (notices) => {
  await notices.choose()
  notices.receiver.respond = (response) => void response.writeHead(503).end()
  notices.mail.rejectWith = 451
  const timer = notices.run()
  await notices.add('bob@acme.example', 'admin')
  await waitUntil(async () => (await notices.deliveries()).filter(({ reason }) => reason !== null).length === 2)
  assert.deepEqual(await notices.deliveries(), [
    {
      recipient: 'ada@acme.example',
      state: 'waiting',
      attempts: 1,
      reason: 'the mail server rejected the mail with code 451',
    },
    { recipient: null, state: 'waiting', attempts: 1, reason: 'the receiver responded with 503' },
  ])
  await waitUntil(() => timer.stats.mail.undelivered === 1 && timer.stats.webhook.undelivered === 1)
  notices.mail.rejectWith = undefined
  await notices.hurry()
  await waitUntil(() => notices.receiver.received.length === 2 && notices.mail.received.length === 1)
  const [first, second] = notices.receiver.received
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  assert.equal(first?.body, second?.body)
  for (let attempts = 2; attempts < 8; attempts++) {
    // Once it is recorded, which sets the time of the next attempt.
    await waitUntil(() => timer.stats.webhook.failed === attempts)
    await notices.hurry()
  }
  await waitUntil(() => timer.stats.webhook.given_up === 1)
  assert.deepEqual((await notices.deliveries())[1], {
    ...{ recipient: null, state: 'failed', attempts: 8, reason: 'the receiver responded with 503' },
  })
  await notices.hurry()
  await delay(100)
  assert.equal(notices.receiver.received.length, 8, 'no further attempt')
})

test('a process that is killed while sending loses nothing: the webhook arrives again, with the same id', async (notices) => {
  await notices.choose({ recipients: [] })
  const { kill } = await notices.startProcess()
  notices.receiver.respond = () => {}
  await notices.add('bob@acme.example', 'admin')
  await waitUntil(() => notices.receiver.received.length === 1)
  await kill()
  assert.deepEqual(await notices.deliveries(), [{ recipient: null, state: 'waiting', attempts: 1, reason: null }])
  notices.receiver.respond = (response) => void response.writeHead(200).end('ok')
  await notices.startProcess()
  await delay(300)
  assert.equal(notices.receiver.received.length, 1, 'not while the other may still be sending it')
  await notices.hurry()
  await waitUntil(async () => (await notices.deliveries())[0]?.state === 'sent')
  const [first, second] = notices.receiver.received
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  assert.equal(first?.body, second?.body)
})

test('removed, demoted and unsubscribed members get nothing more, not even what was already waiting', async (notices) => {
  const people = ['bob', 'cat', 'dan'].map((name) => `${name}@acme.example`)
  for (const email of people) await notices.add(email, 'admin')
  await notices.choose({ webhookUrl: null, recipients: ['ada@acme.example', ...people] })
  notices.mail.rejectWith = 451
  notices.run()
  await notices.add('eve@acme.example', 'member')
  await waitUntil(async () => (await notices.deliveries()).filter(({ reason }) => reason !== null).length === 4)
  await removeMember(notices.store, 'acme', 'bob@acme.example', 'test')
  await changeRole(notices.store, 'acme', { email: 'cat@acme.example', role: 'member' }, 'test')
  const [dan] = await notices.store.read((tx) =>
    tx.all<{ hash: string; key: string }>(
      `SELECT token_hash AS hash, unsubscribe_key AS key FROM notice_recipients JOIN notice_settings USING (workspace_id)
       WHERE email = 'dan@acme.example'`,
    ),
  )
  const token = createHmac('sha256', dan?.key ?? '')
    .update('unsubscribe dan@acme.example')
    .digest('base64url')
  assert.notEqual(dan?.hash, token, 'only its hash is stored')
  assert.equal(await notices.store.transaction((tx) => unsubscribe(tx, token)), true)
  assert.equal(await notices.store.transaction((tx) => unsubscribe(tx, token)), false)
  // Only now: the removal and the new role are events too, which may be on their way already.
  await waitUntil(async () =>
    (await notices.deliveries()).every(({ state, reason }) => state !== 'waiting' || reason !== null),
  )
  notices.mail.rejectWith = undefined
  await notices.hurry()
  await waitUntil(async () => (await notices.deliveries()).every(({ state }) => state !== 'waiting'))
  assert.deepEqual([...new Set(notices.mail.received.flatMap(({ to }) => to))], ['ada@acme.example'])
  const dropped = (await notices.deliveries())
    .filter(({ state }) => state === 'dropped')
    .map(({ recipient }) => recipient)
  assert.deepEqual([...new Set(dropped)].sort(), ['cat@acme.example', 'dan@acme.example'])
  assert.ok(
    (await notices.deliveries()).every(({ recipient }) => recipient !== 'bob@acme.example'),
    'all traces are gone',
  )
})

// SQLite has only one writer at a time.
testOnly('postgres')('someone who unsubscribes while an owner saves the notices stays unsubscribed', async (t) => {
  const { store, workspace, databaseUrl, choose } = await startNotices(t)
  await choose()
  const elsewhere = await openSettingsStore(parseDatabaseUrl(databaseUrl), resources)
  assert.ok(elsewhere)
  t.after(() => elsewhere.close())
  const recipients = async () => (await store.read((tx) => findNotices(tx, workspace.id)))?.recipients
  const { unsubscribeKey } = (await store.read((tx) => findNotices(tx, workspace.id))) ?? assert.fail()
  const leave = () =>
    elsewhere.transaction((tx) => unsubscribe(tx, unsubscribeToken(unsubscribeKey, 'ada@acme.example')))
  await store.transaction(async (tx) => {
    await lockNotices(tx, workspace.id)
    const chosen = (await findNotices(tx, workspace.id)) ?? assert.fail()
    await assert.rejects(leave(), { name: 'StoreBusyError' })
    await saveNotices(tx, workspace.id, { ...chosen, kinds: ['leaked'] }, 'test')
  })
  assert.deepEqual(await recipients(), ['ada@acme.example'])
  assert.equal(await leave(), true)
  assert.deepEqual(await recipients(), [])
})

test('labels add no header and no mention, and no notice contains a key', async (notices) => {
  await notices.choose()
  const { token } = await notices.keys.create('acme', { ...newKey, label: 'x', expiresAt: null })
  const { key } = await notices.keys.create('acme', {
    ...newKey,
    label: '<!channel> & <http://evil.example|click>',
    expiresAt: null,
  })
  const { key: old } = await notices.keys.create('acme', { ...newKey, label: 'y', expiresAt: null })
  // As labels may be from before they were checked.
  await notices.store.transaction((tx) =>
    tx.run('UPDATE api_keys SET label = ? WHERE id = ?', `a\r\nBcc: eve@evil.example\r\n\r\n${token}`, old.id),
  )
  // Only as long as a secret.
  const label = 'Nightly-Report-Exporter-For-Finance-Team-Berlin-2026'
  const { key: long } = await notices.keys.create('acme', { ...newKey, label, expiresAt: null })
  for (const { id } of [key, old, long]) await notices.recordLeak(id, 'url')
  notices.run()
  await waitUntil(() => notices.mail.received.length > 0 && notices.receiver.received.length > 0)
  const raw = notices.mail.received.map((mail) => mail.raw).join('\n')
  const bodies = notices.receiver.received.map(({ body }) => body).join('\n')
  assert.doesNotMatch(raw, /^Bcc:/m)
  assert.ok(notices.mail.received.every(({ to }) => to.length === 1 && to[0] === 'ada@acme.example'))
  for (const text of [raw.replace(/=\r\n/g, ''), bodies]) {
    assert.ok(!text.includes(token))
    assert.ok(!text.includes(token.slice(0, 20)))
  }
  const [received] = notices.receiver.received
  assert.ok(received)
  assert.doesNotMatch(payloadOf(received).text, /<|>/)
  assert.match(payloadOf(received).text, /&lt;!channel&gt; &amp; &lt;http/)
  assert.ok(payloadOf(received).text.includes(`“${label}”`))
  assert.deepEqual(notices.failures, [])
})

test('until an owner chooses, a leak is mailed to the owners, and nothing else is sent', async (notices) => {
  await notices.add('second@acme.example')
  await notices.add('admin@acme.example', 'admin')
  const { key } = await notices.keys.create('acme', { ...newKey, label: 'Nightly', expiresAt: null })
  notices.run()
  const chosen = () => notices.store.read((tx) => findNotices(tx, notices.workspace.id))
  await waitUntil(async () => (await chosen()) !== undefined)
  await notices.add('third@acme.example', 'admin')
  await notices.recordLeak(key.id, 'url')
  await waitUntil(() => notices.mail.received.length === 2)
  await delay(200)
  assert.deepEqual(notices.mail.received.flatMap(({ to }) => to).sort(), ['ada@acme.example', 'second@acme.example'])
  for (const { raw } of notices.mail.received) assert.match(raw, /Nightly/)
})

const sendTest = ({ store, workspace }: Notices, to: string | null) =>
  store.transaction((tx) => addTest(tx, workspace.id, 'ada@acme.example', [to]))

test('a delivery whose attempts all ended without an outcome is given up', async (notices) => {
  await notices.choose()
  await sendTest(notices, null)
  await notices.store.transaction((tx) => tx.run('UPDATE notice_deliveries SET attempts = 8'))
  notices.run()
  await waitUntil(async () => (await notices.deliveries())[0]?.state === 'failed')
  assert.equal((await notices.deliveries())[0]?.reason, 'each attempt was interrupted')
  assert.deepEqual(notices.receiver.received, [])
})
