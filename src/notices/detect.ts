import { chainHead } from '../audit/log.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { sourceStateOf } from '../import/source-state.ts'
import type { Source } from '../import/sources.ts'
import { type AttentionKind, evaluate } from '../keys/evaluate.ts'
import { findKeys } from '../keys/records.ts'
import { EXPIRING_MS } from '../keys/state.ts'
import { HOUR_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { localDate, zoneNamed } from '../lib/local-dates.ts'
import { nextTurn } from '../lib/turns.ts'
import { membersOf } from '../members/records.ts'
import { composeMessage, insertEvents } from './outbox.ts'
import { defaultNotices, findNotices, lockNotices, type NoticeSettings, saveNotices } from './records.ts'
import { type ExpiringKey, type LeakedKey, type NoticeEvent, noticeEvents, type Refusals } from './wording.ts'

/** Workspaces per read, because the thread also serves requests. */
const PAGE_WORKSPACES = 200
/** Per workspace and pass. The next pass continues. */
const MAX_ENTRIES = 1000
/** The maximum per pass over a workspace's keys. */
const MAX_KEYS = 500
/** Refusals of a key on a day, for one reason. */
const REFUSED_OFTEN = 50
/** Requests are recorded in batches, and later while the database is down, so those of this time are read again. */
const LATE_MS = 2 * HOUR_MS
/** A source that fails for a shorter time has recovered by itself. */
const FAILING_MS = 10 * 60_000

/** Each transaction concerns one workspace and is short. */
export async function detect(
  store: Pick<OperatorStore, 'read' | 'transaction'>,
  canMail: boolean,
  { isStopped, onFailure }: { isStopped(): boolean; onFailure(error: unknown): void },
): Promise<void> {
  if (canMail)
    for (const workspaceId of await store.read(withoutChoice))
      if (!isStopped()) await store.transaction((tx) => chooseDefault(tx, workspaceId)).catch(onFailure)
  for (let after: string | undefined = ''; after !== undefined && !isStopped(); ) {
    const page: Awaited<ReturnType<typeof findNews>> = await store.read((tx) => findNews(tx, after ?? ''))
    for (const workspaceId of page.withNews) {
      if (isStopped()) return
      await store.transaction((tx) => examine(tx, workspaceId, canMail)).catch(onFailure)
    }
    after = page.next
    // Lets requests run between pages.
    await nextTurn()
  }
}

/** Workspaces with an owner who has not chosen yet. The next pass continues. */
async function withoutChoice(tx: Transaction): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(
    `SELECT id FROM workspaces WHERE archived_at IS NULL AND id NOT IN (SELECT workspace_id FROM notice_settings)
       AND id IN (SELECT workspace_id FROM members WHERE role = 'owner') ORDER BY id LIMIT ?`,
    PAGE_WORKSPACES,
  )
  return rows.map(({ id }) => id)
}

async function chooseDefault(tx: Transaction, workspaceId: string): Promise<void> {
  await lockNotices(tx, workspaceId)
  if ((await findNotices(tx, workspaceId)) !== undefined) return
  await saveNotices(tx, workspaceId, defaultNotices(await membersOf(tx, workspaceId), true), 'default')
}

async function findNews(tx: Transaction, after: string): Promise<{ withNews: string[]; next: string | undefined }> {
  const rows = await tx.all<{ workspaceId: string; isNew: number }>(
    `SELECT s.workspace_id AS "workspaceId", CASE WHEN h.number > s.audit_seen
       OR EXISTS (SELECT 1 FROM api_keys k WHERE k.workspace_id = s.workspace_id AND k.leaked_at > s.refusals_seen)
       OR EXISTS (SELECT 1 FROM api_keys k WHERE k.workspace_id = s.workspace_id AND k.last_refused_at > s.refusals_seen)
       OR EXISTS (SELECT 1 FROM api_keys k WHERE k.workspace_id = s.workspace_id AND k.revoked_at IS NULL
                  AND k.expires_at > s.expiries_seen AND k.expires_at <= ?)
       OR EXISTS (SELECT 1 FROM notice_events e WHERE e.workspace_id = s.workspace_id AND e.message_id IS NULL)
       THEN 1 ELSE 0 END AS "isNew"
     FROM notice_settings s JOIN workspaces w ON w.id = s.workspace_id AND w.archived_at IS NULL
     LEFT JOIN audit_heads h ON h.workspace_id = s.workspace_id
     WHERE s.workspace_id > ? ORDER BY s.workspace_id LIMIT ?`,
    ...[isoOf(tx.nowMs + EXPIRING_MS), after, PAGE_WORKSPACES],
  )
  const last = rows.at(-1)?.workspaceId
  if (last === undefined) return { withNews: [], next: undefined }
  const sources = await failingSources(tx, rows[0]?.workspaceId ?? '', last)
  const withFailing = new Set(sources.map(({ workspaceId }) => workspaceId))
  const withNews = rows.filter(({ workspaceId, isNew }) => isNew === 1 || withFailing.has(workspaceId))
  const next = rows.length === PAGE_WORKSPACES ? last : undefined
  return { withNews: withNews.map(({ workspaceId }) => workspaceId), next }
}

async function examine(tx: Transaction, workspaceId: string, canMail: boolean): Promise<void> {
  await lockNotices(tx, workspaceId)
  const settings = await findNotices(tx, workspaceId)
  if (settings === undefined) return
  const audited = await fromAudit(tx, workspaceId, settings)
  const leaks = await fromLeaks(tx, workspaceId, settings)
  const refusals = await fromRefusals(tx, workspaceId, settings)
  const soon = isoOf(tx.nowMs + EXPIRING_MS)
  const expiries = await fromExpiries(tx, workspaceId, soon)
  const sources = (await failingSources(tx, workspaceId)).map((source) => noticeEvents.source(source, isoOf(tx.nowMs)))
  const events = [audited.events, leaks, refusals, expiries, sources].flat()
  const isChosen = ({ kind }: NoticeEvent) => settings.kinds.some((chosen) => chosen === kind)
  await insertEvents(tx, workspaceId, events.filter(isChosen))
  const advance =
    'UPDATE notice_settings SET audit_seen = ?, refusals_seen = ?, expiries_seen = ? WHERE workspace_id = ?'
  const late = isoOf(tx.nowMs - LATE_MS)
  const refusalsSeen = late > settings.refusalsSeen ? late : settings.refusalsSeen
  await tx.run(advance, audited.seen, refusalsSeen, soon, workspaceId)
  await composeMessage(tx, workspaceId, settings, canMail)
}

async function fromAudit(tx: Transaction, workspaceId: string, { auditSeen }: NoticeSettings) {
  const seen = Math.min((await chainHead(tx, workspaceId))?.number ?? 0, auditSeen + MAX_ENTRIES)
  const rows = await tx.all<Parameters<typeof noticeEvents.audited>[0]>(
    `SELECT number, at, actor, action, subject, detail FROM audit WHERE workspace_id = ? AND number > ? AND number <= ?
     AND action IN ('member.added', 'member.role_changed', 'member.removed', 'key.connected') ORDER BY number`,
    ...[workspaceId, auditSeen, seen],
  )
  return { events: rows.map(noticeEvents.audited), seen }
}

async function fromLeaks(tx: Transaction, workspaceId: string, { refusalsSeen }: NoticeSettings) {
  const rows = await tx.all<LeakedKey>(
    `SELECT k.id, k.label, k.prefix, k.leaked_at AS at, k.leaked_in AS seen, w.timezone
     FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
     WHERE k.workspace_id = ? AND k.leaked_at > ? ORDER BY k.leaked_at, k.id LIMIT ?`,
    ...[workspaceId, refusalsSeen, MAX_KEYS],
  )
  const ids = rows.map(({ id }) => id)
  const leaked = await needingAttention(tx, workspaceId, 'leaked', ids)
  return rows.filter(({ id }) => leaked.has(id)).map(noticeEvents.leaked)
}

/** Sums have no time: those of a key that was refused lately are read, from the day on that has been read. */
async function fromRefusals(tx: Transaction, workspaceId: string, { refusalsSeen }: NoticeSettings) {
  const [workspace] = await tx.all<{ timezone: string | null }>(
    'SELECT timezone FROM workspaces WHERE id = ?',
    workspaceId,
  )
  const day = localDate(zoneNamed(workspace?.timezone ?? null), Date.parse(refusalsSeen))
  const rows = await tx.all<Refusals>(
    `SELECT k.id, k.label, k.prefix, k.last_refused_at AS at, u.day, u.refused AS why, u.count
     FROM (SELECT * FROM api_keys WHERE workspace_id = ? AND last_refused_at > ? ORDER BY last_refused_at DESC LIMIT ?) AS k
     JOIN key_use u ON u.key_id = k.id AND u.day >= ? AND u.refused <> '' ORDER BY k.last_refused_at, k.id, u.day, u.refused`,
    ...[workspaceId, refusalsSeen, MAX_KEYS, day],
  )
  return rows.flatMap((refusals) => {
    if (refusals.why === 'reused') return noticeEvents.reused(refusals)
    if (refusals.why === 'over_quota') return noticeEvents.quota(refusals)
    return Number(refusals.count) >= REFUSED_OFTEN ? noticeEvents.refused(refusals) : []
  })
}

/** Reads all of them, because an expiry may have changed. `findNews` notices that in the audit log. */
async function fromExpiries(tx: Transaction, workspaceId: string, until: string): Promise<NoticeEvent[]> {
  const now = isoOf(tx.nowMs)
  const rows = await tx.all<ExpiringKey>(
    `SELECT k.id, label, prefix, expires_at AS "expiresAt", timezone
     FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
     WHERE workspace_id = ? AND revoked_at IS NULL AND expires_at BETWEEN ? AND ? ORDER BY expires_at, k.id LIMIT ?`,
    ...[workspaceId, now, until, MAX_KEYS],
  )
  const ids = rows.map(({ id }) => id)
  const expiring = await needingAttention(tx, workspaceId, 'expiring', ids)
  return rows.filter(({ id }) => expiring.has(id)).map((key) => noticeEvents.expiring(key, now))
}

async function needingAttention(tx: Transaction, workspaceId: string, kind: AttentionKind, keyIds: readonly string[]) {
  const ids = [...new Set(keyIds)].slice(0, MAX_KEYS)
  const keys = await evaluate(tx, await findKeys(tx, workspaceId, ids), tx.nowMs)
  return new Set(keys.filter(({ attention }) => attention.includes(kind)).map(({ id }) => id))
}

type SourceRow = Parameters<typeof sourceStateOf>[0] & Pick<Source, 'name' | 'list'> & { workspaceId: string }

/** Sources whose data is old: failing for a while, or no longer attempted. */
async function failingSources(tx: Transaction, first: string, last = first): Promise<SourceRow[]> {
  const rows = await tx.all<SourceRow>(
    `SELECT o.workspace_id AS "workspaceId", list, name, created_at AS "createdAt",
       attempted_at AS "attemptedAt", synced_at AS "syncedAt", failing_since AS "failingSince", every_seconds AS "everySeconds"
     FROM notice_settings s CROSS JOIN sources o
     WHERE s.workspace_id BETWEEN ? AND ? AND o.workspace_id = s.workspace_id`,
    ...[first, last],
  )
  return rows.filter((source) => {
    const state = sourceStateOf(source, tx.nowMs)
    const failingMs = tx.nowMs - Date.parse(source.failingSince ?? '')
    return state === 'overdue' || (state === 'failing' && failingMs >= FAILING_MS)
  })
}
