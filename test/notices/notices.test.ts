// On both engines: notices are claimed in concurrent transactions.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openSettingsStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { findNotices, lockNotices, saveNotices, unsubscribe, unsubscribeToken } from '../../src/notices/records.ts'
import { resources } from '../../src/resources/index.ts'
import { changeRole, removeMember } from '../support/changes.ts'
import { connector, granted, refused } from '../support/connector.ts'
import { testOnly } from '../support/database.ts'
import { type Notices, payloadOf, startNotices } from '../support/notices.ts'
import { testWith } from '../support/test-with.ts'
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

test('many events share a message, messages are limited per day, and a message mentions that there are more', async (notices) => {
  await notices.choose({ recipients: [] })
  for (let n = 0; n < 130; n++) {
    const { key } = await notices.keys.create('acme', { ...newKey, label: `key ${n}`, expiresAt: null })
    await notices.recordRefusals(key.id, 'over_quota')
  }
  const timer = notices.run()
  await waitUntil(() => notices.receiver.received.length === 1)
  const [digest] = notices.receiver.received
  assert.ok(digest)
  const events = payloadOf(digest).data.events
  assert.equal(events.length, 100)
  assert.equal(events.filter(({ kind }) => kind === 'more').length, 1)
  const { key } = await notices.keys.create('acme', { ...newKey, label: 'pasted', expiresAt: null })
  await notices.recordLeak(key.id, 'url')
  await waitUntil(() => eventsOf(notices).some(({ kind }) => kind === 'leaked'))
  await timer.stop()
  await notices.store.transaction((tx) => tx.run('UPDATE notice_events SET at = ?', later(-2 * DAY)))
  await notices.store.transaction(async (tx) => {
    for (let n = 0; n < 19; n++)
      await tx.run(
        `INSERT INTO notice_deliveries (id, message_id, workspace_id, created_at, next_at, state)
         SELECT ?, ?, workspace_id, created_at, next_at, 'sent' FROM notice_deliveries LIMIT 1`,
        ...[`id ${n}`, `message ${n}`],
      )
  })
  notices.run()
  await notices.add('bob@acme.example', 'admin')
  await delay(300)
  assert.equal(notices.receiver.received.length, 2, 'the limit of messages is reached')
  await notices.add('cat@acme.example', 'admin')
  await notices.store.transaction((tx) => tx.run('UPDATE notice_deliveries SET created_at = ?', later(-2 * DAY)))
  await waitUntil(() => eventsOf(notices).filter(({ kind }) => kind === 'member').length === 2)
})

test('only chosen kinds are reported, not earlier events, and nothing of an archived or deleted workspace', async (notices) => {
  await notices.add('before@acme.example', 'admin')
  await notices.choose({ kinds: ['member'], recipients: [] })
  await cause(notices)
  notices.run()
  await waitUntil(() => notices.receiver.received.length === 1)
  await notices.store.transaction((tx) => tx.run('UPDATE workspaces SET archived_at = ?', later(0)))
  await notices.add('after@acme.example', 'admin')
  await delay(200)
  const texts = eventsOf(notices).map(({ text }) => text)
  assert.deepEqual(texts, ['test added bob@acme.example as admin.'])
  await notices.store.transaction((tx) => tx.run('DELETE FROM workspaces'))
  for (const table of ['notice_settings', 'notice_recipients', 'notice_events', 'notice_deliveries'])
    assert.deepEqual(await notices.store.read((tx) => tx.all(`SELECT * FROM ${table}`)), [], table)
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

test('a key that is revoked in time, or has a successor, is not reported', async (notices) => {
  const { key } = await notices.keys.create('acme', { ...newKey, label: 'gone', expiresAt: null })
  const { key: rotated } = await notices.keys.create('acme', { ...newKey, label: 'rotated', expiresAt: later(5 * DAY) })
  await notices.recordLeak(key.id, 'url')
  await notices.keys.revoke(key.id)
  await notices.keys.rotate(rotated.id, 3_600_000)
  await notices.choose({ recipients: [] })
  notices.run()
  await notices.add('bob@acme.example', 'admin')
  await waitUntil(() => eventsOf(notices).length === 2)
  await delay(100)
  // The successor ends with the key that it replaces.
  const told = eventsOf(notices).map(({ id }) => id)
  for (const { id } of [key, rotated]) assert.ok(!told.some((event) => event.includes(id)))
  assert.deepEqual(told.map((id) => id.split(' ')[0]).sort(), ['expiring', 'member'])
})

test('a key expires on the day that its page shows, the last one in the timezone of the workspace', async (notices) => {
  const day = later(3 * DAY).slice(0, 10)
  await notices.choose({ kinds: ['expiring'], recipients: [] })
  notices.run()
  for (const [timezone, offset] of [
    [null, '+00:00'],
    ['Pacific/Honolulu', '-10:00'],
    ['Pacific/Kiritimati', '+14:00'],
  ] as const) {
    await notices.store.transaction((tx) => tx.run('UPDATE workspaces SET timezone = ?', timezone))
    const expiresAt = new Date(`${day}T24:00:00${offset}`).toISOString()
    const { key } = await notices.keys.create('acme', { ...newKey, label: offset, expiresAt })
    await waitUntil(() => eventsOf(notices).some(({ id }) => id === `expiring ${key.id} ${expiresAt.slice(0, 10)}`))
  }
  const texts = eventsOf(notices).map(({ text }) => text.replace(/ \(vtr_\w{6}…\)/, ''))
  const shown = ['+00:00', '-10:00', '+14:00'].map((offset) => `The key “${offset}” expires on ${day}.`)
  assert.deepEqual(texts, shown)
})

test('a key that is refused often for several reasons on a day is reported once for each', async (notices) => {
  const { key } = await notices.keys.create('acme', { ...newKey, label: 'x', expiresAt: null })
  await notices.choose({ kinds: ['refused'], recipients: [] })
  notices.run()
  const reasons = ['expired', 'network'] as const
  for (const [i, kind] of reasons.entries()) {
    await notices.recordRefusals(key.id, kind, 50)
    await waitUntil(() => eventsOf(notices).length === i + 1)
  }
  await delay(100)
  const ids = eventsOf(notices).map(({ id }) => id.replace(/\d{4}-\d\d-\d\d/, 'DAY'))
  assert.deepEqual(
    ids,
    reasons.map((kind) => `refused ${key.id} DAY ${kind}`),
  )
})

test('a connection that was revoked because its code was used twice is reported like a leaked key', async (notices) => {
  await notices.choose({ kinds: ['leaked'], recipients: [] })
  notices.run()
  const { issue, redeem } = connector(notices.store, { now: Date.now() + 1000 })
  const code = await issue({ email: 'ada@acme.example' })
  const { key } = granted(await redeem(code))
  // Both are reported, even on the same day.
  await notices.recordLeak(key.id, 'url')
  await waitUntil(() => eventsOf(notices).length === 1)
  refused(await redeem(code), /^The code was used before/)
  await waitUntil(() => eventsOf(notices).length === 2)
  await delay(100)
  const [, event, ...others] = eventsOf(notices)
  assert.deepEqual(others, [])
  assert.equal(event?.kind, 'leaked')
  assert.match(
    event?.text ?? '',
    /^The connection “Agent” \(vtr_\w{6}…\) was revoked: its code or refresh token was used twice, and may have been stolen\. Connect again\.$/,
  )
  assert.match(event?.url ?? '', new RegExp(`/keys/${key.id}$`))
})
