import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { addTest } from '../../src/notices/outbox.ts'
import { type Notices, payloadOf, startNotices } from '../support/notices.ts'
import { testWith } from '../support/test-with.ts'
import { waitUntil } from '../support/wait.ts'

const test = testWith(startNotices)

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const later = (ms: number) => new Date(Date.now() + ms).toISOString()
const createKey = async ({ keys }: Notices, label: string, expiresAt: string | null = null) =>
  (await keys.create('acme', { label, permissions: ['tasks:read'], quota: null, expiresAt })).key.id

const eventsOf = ({ receiver }: Notices) => receiver.received.flatMap((webhook) => payloadOf(webhook).data.events)
/** Two keys may share a label, so each is named with its prefix. */
const textsOf = (notices: Notices) =>
  eventsOf(notices).map(({ text }) => text.replace(/(The key “[^”]+”) \(vtr_\w{6}…\)/, '$1 (its prefix)'))

const sendTest = ({ store, workspace }: Notices, to: string | null) =>
  store.transaction((tx) => addTest(tx, workspace.id, 'ada@acme.example', [to]))

/** Messages of the last minutes, whose events are of one kind. */
const addMessages = ({ store, workspace }: Notices, messages: number, kind: string) =>
  store.transaction(async (tx) => {
    const at = later(-5 * MINUTE)
    for (let n = 0; n < messages; n++) {
      await tx.run(
        'INSERT INTO notice_events (workspace_id, id, kind, at, text, path, message_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[workspace.id, `earlier ${kind} ${n}`, kind, at, 'earlier', '/notices', `${kind} message ${n}`],
      )
      await tx.run(
        `INSERT INTO notice_deliveries (id, message_id, workspace_id, created_at, next_at, state) VALUES (?, ?, ?, ?, ?, 'sent')`,
        ...[`${kind} delivery ${n}`, `${kind} message ${n}`, workspace.id, at, at],
      )
    }
  })

test('an unexpected error is a failed attempt, whose details only the log has', async (notices) => {
  await notices.choose()
  await sendTest(notices, null)
  notices.run({
    webhook: {
      get allowPrivate(): boolean {
        throw new TypeError('broken')
      },
    },
  })
  await waitUntil(async () => (await notices.deliveries())[0]?.reason !== null)
  assert.deepEqual(await notices.deliveries(), [
    {
      ...{ recipient: null, state: 'waiting', attempts: 1 },
      reason: 'an unexpected error; the server’s log has the details',
    },
  ])
  assert.match(String(notices.failures), /broken/)
})

test('a delivery whose attempts all ended without an outcome is given up', async (notices) => {
  await notices.choose()
  await sendTest(notices, null)
  await notices.store.transaction((tx) => tx.run('UPDATE notice_deliveries SET attempts = 8'))
  notices.run()
  await waitUntil(async () => (await notices.deliveries())[0]?.state === 'failed')
  assert.equal((await notices.deliveries())[0]?.reason, 'each attempt was interrupted')
  assert.deepEqual(notices.receiver.received, [])
})

test('tests do not use up the messages or events of a day', async (notices) => {
  await notices.choose({ recipients: [] })
  await addMessages(notices, 120, 'test')
  notices.run()
  await notices.add('bob@acme.example', 'admin')
  await waitUntil(() => notices.receiver.received.length === 1)
  assert.deepEqual(textsOf(notices), ['test added bob@acme.example as admin.'])
})

test("a leaked key is reported even if the day's messages are used up", async (notices) => {
  await notices.choose({ recipients: [] })
  await addMessages(notices, 20, 'member')
  notices.run()
  await notices.add('bob@acme.example', 'admin')
  await delay(200)
  assert.deepEqual(textsOf(notices), [])
  await notices.recordLeak(await createKey(notices, 'leaked one'), 'url')
  await waitUntil(() => notices.receiver.received.length === 1)
  assert.deepEqual(
    eventsOf(notices)
      .map(({ kind }) => kind)
      .sort(),
    ['leaked', 'member'],
  )
})

test('an event that is detected again takes no room', async (notices) => {
  await notices.choose({ recipients: [] })
  await notices.recordRefusals(await createKey(notices, 'busy one'), 'over_quota')
  const timer = notices.run()
  await waitUntil(() => notices.receiver.received.length === 1)
  await timer.stop()
  await addMessages(notices, 98, 'member')
  notices.run()
  await delay(300)
  assert.deepEqual(textsOf(notices), ['The key “busy one” (its prefix) has used up its quota.'])
  assert.deepEqual(await notices.store.read((tx) => tx.all(`SELECT id FROM notice_events WHERE kind = 'more'`)), [])
})

test('a key whose expiry is moved to within 14 days is reported, and again if it is moved', async (notices) => {
  await notices.choose({ recipients: [] })
  const id = await createKey(notices, 'short one', later(90 * DAY))
  notices.run()
  await delay(200)
  assert.deepEqual(textsOf(notices), [])
  const expiries = [later(10 * DAY), later(5 * DAY)]
  for (const [n, expiresAt] of expiries.entries()) {
    await notices.keys.update(id, { expiresAt })
    await waitUntil(() => eventsOf(notices).length === n + 1)
  }
  assert.deepEqual(
    textsOf(notices),
    expiries.map((expiresAt) => `The key “short one” (its prefix) expires on ${expiresAt.slice(0, 10)}.`),
  )
})

test('a refusal that is recorded an hour late is reported', async (notices) => {
  await notices.choose({ recipients: [] })
  // As if they had been chosen then.
  await notices.store.transaction((tx) => tx.run('UPDATE notice_settings SET refusals_seen = ?', later(-90 * MINUTE)))
  notices.run()
  await notices.add('bob@acme.example', 'admin')
  await waitUntil(() => eventsOf(notices).length === 1)
  await notices.recordRefusals(await createKey(notices, 'late one'), 'over_quota', 1, later(-60 * MINUTE))
  await waitUntil(() => eventsOf(notices).length === 2)
  assert.equal(textsOf(notices)[1], 'The key “late one” (its prefix) has used up its quota.')
})

test("a refusal shortly before an owner's choice is not reported", async (notices) => {
  await notices.recordRefusals(await createKey(notices, 'busy one'), 'over_quota', 1, later(-5 * MINUTE))
  await notices.choose({ recipients: [] })
  notices.run()
  for (const [n, name] of ['bob', 'cat'].entries()) {
    await notices.add(`${name}@acme.example`, 'admin')
    await waitUntil(() => notices.receiver.received.length === n + 1)
  }
  assert.deepEqual([...new Set(eventsOf(notices).map(({ kind }) => kind))], ['member'])
})
