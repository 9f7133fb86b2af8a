import { randomBytes } from 'node:crypto'
import { among, countFrom, insertRow } from '../database/statements.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { DAY_MS, HOUR_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import type { NoticeSettings } from './records.ts'
import { type NoticeEvent, type NoticeMessage, noticeEvents } from './wording.ts'

/** Per workspace and day, for leaks and for all other events. The last one mentions that there are more. */
const MAX_EVENTS = 100
/** Per workspace and day, without tests. Later events wait, and share the next message. */
const MAX_MESSAGES = 20
const MAX_TESTS_PER_HOUR = 10
/** Longer than anything is detected again. */
const KEPT_MS = 30 * DAY_MS
/** Longer than an attempt takes. */
const CLAIMED_MS = 5 * 60_000
/** After each failed attempt: together, about a day. */
const BACKOFF_MINUTES = [1, 5, 30, 120, 300, 480, 480]

export const channels = ['mail', 'webhook'] as const
export type Channel = (typeof channels)[number]
/** A slow receiver holds up one of these for a few seconds. */
const AT_ONCE: Record<Channel, number> = { mail: 4, webhook: 16 }

const createId = () => `msg_${randomBytes(15).toString('hex')}`

/** Events that are already stored are ignored. */
export async function insertEvents(tx: Transaction, workspaceId: string, events: readonly NoticeEvent[]) {
  if (events.length === 0) return
  const ids = events.map(({ id }) => id)
  const again = `SELECT id FROM notice_events WHERE workspace_id = ? AND id ${among(ids)}`
  const stored = new Set((await tx.all<{ id: string }>(again, workspaceId, ...ids)).map(({ id }) => id))
  const news = Object.groupBy(
    events.filter(({ id }) => !stored.has(id)),
    ({ kind }) => (kind === 'leaked' ? 'leaks' : 'others'),
  )
  // Other events cannot take the room of a leak.
  await insertWithin(tx, workspaceId, "kind = 'leaked'", news.leaks ?? [])
  await insertWithin(tx, workspaceId, "kind NOT IN ('leaked', 'test')", news.others ?? [])
}

async function insertWithin(tx: Transaction, workspaceId: string, kinds: string, events: readonly NoticeEvent[]) {
  const ofDay = `notice_events WHERE workspace_id = ? AND ${kinds} AND (at > ? OR message_id IS NULL)`
  let room = MAX_EVENTS - (await countFrom(tx, ofDay, workspaceId, isoOf(tx.nowMs - DAY_MS)))
  for (const event of events)
    if (room > 1) room -= await insertEvent(tx, workspaceId, event)
    else return insertEvent(tx, workspaceId, noticeEvents.more(isoOf(tx.nowMs)))
}

const insertEvent = (tx: Transaction, workspaceId: string, event: NoticeEvent, messageId: string | null = null) =>
  insertRow(tx, 'notice_events', { workspaceId, ...event, messageId }, { ifAbsent: true })

const IS_TEST = `EXISTS (SELECT 1 FROM notice_events e WHERE e.message_id = d.message_id AND e.kind = 'test')`

/** All waiting events become one message. After too many messages today, they wait until a key leaks. */
export async function composeMessage(
  tx: Transaction,
  workspaceId: string,
  { recipients, webhookUrl }: NoticeSettings,
  canMail: boolean,
): Promise<void> {
  const ofDay = `(SELECT DISTINCT message_id FROM notice_deliveries d
    WHERE workspace_id = ? AND created_at > ? AND NOT ${IS_TEST}) AS of_day`
  const messages = await countFrom(tx, ofDay, workspaceId, isoOf(tx.nowMs - DAY_MS))
  const leaks = `notice_events WHERE workspace_id = ? AND message_id IS NULL AND kind = 'leaked'`
  if (messages >= MAX_MESSAGES && (await countFrom(tx, leaks, workspaceId)) === 0) return
  const messageId = createId()
  const unsent = 'UPDATE notice_events SET message_id = ? WHERE workspace_id = ? AND message_id IS NULL'
  if ((await tx.run(unsent, messageId, workspaceId)) === 0) return
  const to = [...(canMail ? recipients : []), ...(webhookUrl === null ? [] : [null])]
  await insertDeliveries(tx, workspaceId, messageId, to)
}

/** Deletes old rows with every insert, so that the tables stay small without a timer. */
async function insertDeliveries(tx: Transaction, workspaceId: string, messageId: string, to: Claim['recipient'][]) {
  const [now, old] = [isoOf(tx.nowMs), isoOf(tx.nowMs - KEPT_MS)]
  for (const recipient of to) {
    const delivery = { id: createId(), messageId, workspaceId, recipient, createdAt: now, nextAt: now }
    await insertRow(tx, 'notice_deliveries', delivery)
  }
  await tx.run('DELETE FROM notice_deliveries WHERE workspace_id = ? AND created_at < ?', workspaceId, old)
  const oldEvents = 'DELETE FROM notice_events WHERE workspace_id = ? AND at < ? AND message_id <> ?'
  await tx.run(oldEvents, workspaceId, old, messageId)
}

/** False if there were too many. */
export async function addTest(tx: Transaction, workspaceId: string, by: string, to: Claim['recipient'][]) {
  const recent = `notice_events WHERE workspace_id = ? AND kind = 'test' AND at > ?`
  if ((await countFrom(tx, recent, workspaceId, isoOf(tx.nowMs - HOUR_MS))) >= MAX_TESTS_PER_HOUR) return false
  const messageId = createId()
  await insertEvent(tx, workspaceId, noticeEvents.test(messageId, isoOf(tx.nowMs), by), messageId)
  await insertDeliveries(tx, workspaceId, messageId, to)
  return true
}

/** A claimed delivery, with everything needed to send it. */
export interface Claim extends Pick<NoticeSettings, 'webhookUrl' | 'webhookSecret'> {
  /** Null for a test: the person who asked for it may not be a recipient. */
  unsubscribeKey: string | null
  id: string
  attempts: number
  /** Null for the webhook. */
  recipient: string | null
  message: NoticeMessage
}

type DueRow = Omit<Claim, 'message'> &
  Record<'messageId' | 'workspaceId' | 'name' | 'slug', string> & { isWanted: 0 | 1 }

/** Members must still be recipients, but tests are for the person who asked. */
const IS_WANTED = `CASE WHEN (d.recipient IS NULL AND s.webhook_url IS NOT NULL)
    OR (d.recipient IS NOT NULL AND ${IS_TEST})
    OR EXISTS (SELECT 1 FROM notice_recipients r JOIN members m USING (workspace_id, email)
               WHERE r.workspace_id = d.workspace_id AND r.email = d.recipient AND m.role <> 'member')
  THEN 1 ELSE 0 END`

export async function claim(store: Pick<OperatorStore, 'read' | 'transaction'>, channel: Channel): Promise<Claim[]> {
  const due = `notice_deliveries d WHERE d.state = 'waiting' AND d.next_at <= ?
    AND d.recipient IS ${channel === 'mail' ? 'NOT NULL' : 'NULL'}`
  // Only takes the lock for writing if there is something to do.
  if ((await store.read((tx) => countFrom(tx, due, isoOf(tx.nowMs)))) === 0) return []
  return store.transaction(async (tx) => {
    await tx.lock('notice deliveries')
    const rows = await tx.all<DueRow>(
      `SELECT d.id, d.message_id AS "messageId", d.workspace_id AS "workspaceId", d.attempts + 1 AS attempts, d.recipient,
         w.name, w.slug, s.webhook_url AS "webhookUrl", s.webhook_secret AS "webhookSecret",
         CASE WHEN NOT ${IS_TEST} THEN s.unsubscribe_key END AS "unsubscribeKey", ${IS_WANTED} AS "isWanted"
       FROM (SELECT * FROM ${due} ORDER BY d.next_at LIMIT ?) AS d
       JOIN workspaces w ON w.id = d.workspace_id LEFT JOIN notice_settings s ON s.workspace_id = d.workspace_id`,
      ...[isoOf(tx.nowMs), AT_ONCE[channel]],
    )
    const claimed: Claim[] = []
    for (const { messageId, workspaceId, name, slug, isWanted, ...delivery } of rows) {
      // Attempts also count if their outcome could not be recorded.
      const isInterrupted = delivery.attempts > BACKOFF_MINUTES.length + 1
      if (isWanted === 0) await endDelivery(tx, delivery.id, 'dropped', 'no longer a recipient')
      else if (isInterrupted) await endDelivery(tx, delivery.id, 'failed', 'each attempt was interrupted')
      if (isWanted === 0 || isInterrupted) continue
      const next = isoOf(tx.nowMs + CLAIMED_MS)
      await tx.run('UPDATE notice_deliveries SET attempts = attempts + 1, next_at = ? WHERE id = ?', next, delivery.id)
      const events = await tx.all<NoticeEvent>(
        'SELECT id, kind, at, text, path FROM notice_events WHERE message_id = ? AND workspace_id = ? ORDER BY at, id',
        ...[messageId, workspaceId],
      )
      claimed.push({ ...delivery, message: { id: messageId, workspace: { name, slug }, events } })
    }
    return claimed
  })
}

type FinalState = 'sent' | 'failed' | 'dropped'

export const endDelivery = (tx: Transaction, id: string, state: FinalState, reason: string | null) =>
  tx.run(
    'UPDATE notice_deliveries SET state = ?, ended_at = ?, reason = ? WHERE id = ?',
    ...[state, isoOf(tx.nowMs), reason, id],
  )

/** Returns whether this was the last attempt. */
export async function delayDelivery(tx: Transaction, { id, attempts }: Claim, reason: string): Promise<boolean> {
  const minutes = BACKOFF_MINUTES[attempts - 1]
  const delay = 'UPDATE notice_deliveries SET next_at = ?, reason = ? WHERE id = ?'
  if (minutes === undefined) await endDelivery(tx, id, 'failed', reason)
  else await tx.run(delay, isoOf(tx.nowMs + minutes * 60_000), reason, id)
  return minutes === undefined
}

export interface Delivery {
  recipient: string | null
  createdAt: string
  state: 'waiting' | FinalState
  attempts: number
  nextAt: string
  /** Why the last attempt failed. */
  reason: string | null
  /** One of the events, and the number of all. */
  text: string | null
  events: number
}

export const newestDeliveries = (tx: Transaction, workspaceId: string, limit: number): Promise<Delivery[]> =>
  tx.all(
    `SELECT d.recipient, d.created_at AS "createdAt", d.state, d.attempts, d.next_at AS "nextAt", d.reason,
       (SELECT min(e.text) FROM notice_events e WHERE e.message_id = d.message_id) AS text,
       (SELECT count(*) FROM notice_events e WHERE e.message_id = d.message_id) AS events
     FROM notice_deliveries d WHERE d.workspace_id = ? ORDER BY d.created_at DESC, d.id LIMIT ?`,
    ...[workspaceId, limit],
  )

/** Failed at least once, and will be attempted again. */
export async function countUndelivered(tx: Transaction): Promise<Record<Channel, number>> {
  const undelivered = `notice_deliveries WHERE state = 'waiting' AND reason IS NOT NULL AND recipient IS`
  return { mail: await countFrom(tx, `${undelivered} NOT NULL`), webhook: await countFrom(tx, `${undelivered} NULL`) }
}
