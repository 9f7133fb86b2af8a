// On both engines: every statement that looks for news runs here.
import assert from 'node:assert/strict'
import { detect } from '../../src/notices/detect.ts'
import { connector, granted, refused } from '../connections/connector.ts'
import { atTime } from '../support/at-time.ts'
import { testWith } from '../support/database.ts'
import { startNotices } from '../support/notices.ts'

interface Event {
  id: string
  kind: string
  text: string
  path: string
}

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const at = (ms: number) => new Date(Date.now() + ms).toISOString()

/** `pass` looks once for what is new, and returns the events that it put into a message. */
const test = testWith(async (t) => {
  const notices = await startNotices(t)
  const { store, keys, workspace } = notices
  const seen = new Set<string>()
  const run = (sql: string, ...values: (string | number | null)[]) => store.transaction((tx) => tx.run(sql, ...values))
  return {
    ...notices,
    run,
    createKey: async (label: string, expiresAt: string | null = null) =>
      (await keys.create('acme', { label, permissions: ['tasks:read'], quota: null, expiresAt })).key.id,
    async pass(afterMs = 2000) {
      const now = Date.now() + afterMs
      const onFailure = (error: unknown) => assert.fail(error as Error)
      await detect(
        atTime(store, () => now),
        true,
        { isStopped: () => false, onFailure },
      )
      const rows = await store.read((tx) =>
        tx.all<Event>('SELECT id, kind, text, path FROM notice_events WHERE message_id IS NOT NULL ORDER BY at, id'),
      )
      const added = rows.filter(({ id }) => !seen.has(id))
      for (const { id } of added) seen.add(id)
      return added.map(({ text, ...event }) => ({ ...event, text: text.replace(/ \(vtr_\w{6}…\)/, '') }))
    },
    /** Messages of the last minutes, whose events are of one kind. */
    addMessages: (messages: number, kind: string) =>
      store.transaction(async (tx) => {
        for (let n = 0; n < messages; n++) {
          await tx.run(
            'INSERT INTO notice_events (workspace_id, id, kind, at, text, path, message_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
            ...[workspace.id, `earlier ${kind} ${n}`, kind, at(-5 * MINUTE), 'earlier', '/notices', `${kind} ${n}`],
          )
          await tx.run(
            `INSERT INTO notice_deliveries (id, message_id, workspace_id, created_at, next_at, state) VALUES (?, ?, ?, ?, ?, 'sent')`,
            ...[`${kind} ${n}`, `${kind} ${n}`, workspace.id, at(-5 * MINUTE), at(0)],
          )
          seen.add(`earlier ${kind} ${n}`)
        }
      }),
  }
})

const kindsOf = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind).sort()
const textsOf = (events: readonly { text: string }[]) => events.map(({ text }) => text)

test('only chosen kinds are reported, nothing earlier, and nothing of an archived workspace', async (notices) => {
  const { add, choose, pass, run, createKey, recordLeak, recordRefusals } = notices
  await add('before@acme.example', 'admin')
  await recordRefusals(await createKey('earlier'), 'over_quota', 1, at(-5 * MINUTE))
  await choose({ kinds: ['member', 'quota'] })
  await recordLeak(await createKey('leaked'), 'url')
  await add('bob@acme.example', 'admin')
  assert.deepEqual(textsOf(await pass()), ['test added bob@acme.example as admin.'])
  await run('UPDATE workspaces SET archived_at = ?', at(0))
  await add('after@acme.example', 'admin')
  assert.deepEqual(await pass(), [])
})

test('a source is reported once it has failed for ten minutes, or is no longer attempted', async (notices) => {
  const { choose, pass, run, workspace } = notices
  await choose()
  const failing = at(-DAY)
  await run(
    `INSERT INTO sources (workspace_id, list, name, created_at, attempted_at, synced_at, failing_since, failure, failures, every_seconds)
     VALUES (?, 'tasks', 'tracker', ?, ?, ?, ?, 'unreachable', 1, NULL), (?, 'tasks', 'nightly', ?, ?, ?, NULL, NULL, 0, 60)`,
    ...[workspace.id, failing, at(0), failing, at(0), workspace.id, failing, at(0), at(0)],
  )
  assert.deepEqual(await pass(9 * MINUTE + 59_000 - 6 * MINUTE), [])
  const [overdue, ...others] = await pass(9 * MINUTE + 59_000)
  assert.match(
    overdue?.text ?? '',
    /^The sync of tasks from nightly has not been attempted since \S+\. Agents read old data\.$/,
  )
  assert.deepEqual(others, [])
  const [failed] = await pass(10 * MINUTE + 1000)
  assert.match(failed?.text ?? '', /^The sync of tasks from tracker has failed since \S+\. Agents read old data\.$/)
  assert.deepEqual(await pass(11 * MINUTE), [], 'once')
})

test('a key that expires within 14 days is reported, and again if its expiry is moved', async (notices) => {
  const { choose, pass, createKey, keys } = notices
  await choose()
  const id = await createKey('short', at(14 * DAY + MINUTE))
  assert.deepEqual(await pass(), [])
  assert.deepEqual(textsOf(await pass(2 * MINUTE)), [
    `The key “short” expires on ${at(14 * DAY + MINUTE).slice(0, 10)}.`,
  ])
  const expiresAt = at(5 * DAY)
  await keys.update(id, { expiresAt })
  assert.deepEqual(textsOf(await pass(3 * MINUTE)), [`The key “short” expires on ${expiresAt.slice(0, 10)}.`])
})

test('a key expires on the day that its page shows, the last one in the timezone of the workspace', async (notices) => {
  const { choose, pass, run, createKey } = notices
  const day = at(3 * DAY).slice(0, 10)
  await choose({ kinds: ['expiring'] })
  for (const [timezone, offset] of [
    [null, '+00:00'],
    ['Pacific/Honolulu', '-10:00'],
    ['Pacific/Kiritimati', '+14:00'],
  ] as const) {
    await run('UPDATE workspaces SET timezone = ?', timezone)
    const expiresAt = new Date(`${day}T24:00:00${offset}`).toISOString()
    const keyId = await createKey(offset, expiresAt)
    assert.deepEqual(
      (await pass()).map(({ id, text }) => [id, text]),
      [[`expiring ${keyId} ${expiresAt.slice(0, 10)}`, `The key “${offset}” expires on ${day}.`]],
    )
  }
})

test('a key that is revoked in time, or has a successor, is not reported', async (notices) => {
  const { choose, pass, createKey, keys, recordLeak } = notices
  await choose()
  const [gone, rotated] = [await createKey('gone'), await createKey('rotated', at(5 * DAY))]
  await recordLeak(gone, 'url')
  await keys.revoke(gone)
  await keys.rotate(rotated, 3_600_000)
  // The successor ends with the key that it replaces.
  const events = await pass()
  assert.deepEqual(kindsOf(events), ['expiring'])
  assert.ok(!events[0]?.id.includes(rotated))
})

test('refusals are reported once per reason and day, from 50 on, also those that are recorded an hour late', async (notices) => {
  const { choose, pass, run, createKey, recordRefusals } = notices
  await choose()
  // As if they had been chosen then.
  await run('UPDATE notice_settings SET refusals_seen = ?', at(-90 * MINUTE))
  const id = await createKey('x')
  for (const why of ['expired', 'network'] as const) {
    await recordRefusals(id, why, 50)
    assert.deepEqual(
      (await pass()).map((event) => event.id.replace(/\d{4}-\d\d-\d\d/, 'DAY')),
      [`refused ${id} DAY ${why}`],
    )
  }
  await recordRefusals(await createKey('clumsy'), 'forbidden', 49)
  await recordRefusals(await createKey('late'), 'over_quota', 1, at(-60 * MINUTE))
  assert.deepEqual(textsOf(await pass()), ['The key “late” has used up its quota.'])
})

test('a connection that was revoked because its code was used twice is reported like a leaked key', async (notices) => {
  const { choose, pass, store, recordLeak } = notices
  await choose({ kinds: ['leaked'] })
  const { issue, redeem } = connector(store, { now: Date.now() + 1000 })
  const code = await issue({ email: 'ada@acme.example' })
  const { key } = granted(await redeem(code))
  // Both are reported, even on the same day.
  await recordLeak(key.id, 'url')
  assert.equal((await pass()).length, 1)
  refused(await redeem(code), /^The code was used before/)
  const text =
    'The connection “Agent” was revoked: its code or refresh token was used twice, and may have been stolen. Connect again.'
  assert.deepEqual(await pass(), [{ id: `leaked ${key.id} reused`, kind: 'leaked', text, path: `/keys/${key.id}` }])
})

test('a day has 100 events, of which the last says that there are more, and 20 messages; leaks have their own', async (notices) => {
  const { choose, pass, add, addMessages, createKey, recordLeak, recordRefusals, run } = notices
  await choose()
  for (let n = 0; n < 130; n++) await recordRefusals(await createKey(`key ${n}`), 'over_quota')
  const events = await pass()
  assert.equal(events.length, 100)
  assert.equal(events.filter(({ kind }) => kind === 'more').length, 1)
  assert.deepEqual(await pass(), [], 'those that are detected again take no room')
  await recordLeak(await createKey('leaked'), 'url')
  assert.deepEqual(kindsOf(await pass()), ['leaked'])
  await run('UPDATE notice_events SET at = ?', at(-2 * DAY))
  await addMessages(18, 'member')
  await add('bob@acme.example', 'admin')
  assert.deepEqual(await pass(), [], 'the twenty messages are used up')
  await recordLeak(await createKey('another'), 'url')
  assert.deepEqual(
    [...new Set(kindsOf(await pass()))],
    ['leaked', 'member', 'quota'],
    'with a leak, all that waits is sent',
  )
})
