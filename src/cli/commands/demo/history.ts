import { randomUUID } from 'node:crypto'
import { insertRow } from '../../../database/statements.ts'
import type { Transaction } from '../../../database/store.ts'
import { Keys } from '../../../keys/life-cycle.ts'
import type { KeyRecord } from '../../../keys/records.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/duration.ts'
import { isoOf } from '../../../lib/instant.ts'
import { localDate, zoneNamed } from '../../../lib/local-dates.ts'
import { addMember } from '../../../members/members.ts'
import type { WorkspaceRecord } from '../../../workspaces/records.ts'
import history from './history.json' with { type: 'json' }

/**
 * Ages and expiries are in days. Requests are per hour, between two hours of the workspace's day; `overQuota` is the share that is
 * over the quota. From the key's `end` on, they are refused.
 */
type KeySketch = (typeof history.keys)[number]

/** Weeks of changes and requests. Changes are applied in order, so the audit log looks as if they had really happened. */
export async function addHistory(tx: Transaction, workspace: WorkspaceRecord, permissions: string[], now: number) {
  const { members, keys, sources } = history
  const { id: workspace_id, slug, createdAt: created_at } = workspace
  const timeOf = (age: number) => now - age * DAY_MS
  const created = new Map<KeySketch, KeyRecord>()
  const changes: { age: number; apply(): Promise<unknown> }[] = members.map(({ age, ...member }) => ({
    age,
    apply: () => addMember(tx, slug, member, 'demo', isoOf(timeOf(age))),
  }))
  for (const sketch of keys) {
    const { label, quota, by, age, expiresIn, end } = sketch
    const wanted = { label, quota, permissions, expiresAt: isoOf(timeOf(-expiresIn)) }
    const create = async () => created.set(sketch, (await new Keys(tx, by, timeOf(age)).create(slug, wanted)).key)
    changes.push({ age, apply: create })
    if (end === undefined) continue
    const change = end.kind === 'paused' ? 'pause' : 'revoke'
    const finish = () => new Keys(tx, by, timeOf(end.age))[change](created.get(sketch)?.id ?? '')
    changes.push({ age: end.age, apply: finish })
  }
  for (const { apply } of changes.sort((a, b) => b.age - a.age)) await apply()
  await insertHistory(tx, workspace, [...created], now)
  for (const { hours, ...source } of sources) {
    const at = isoOf(now - hours * HOUR_MS)
    const synced = { workspace_id, table_name: 'tasks', ...source, created_at, synced_at: at, attempted_at: at }
    await insertRow(tx, 'sources', synced)
  }
}

/** A key's requests in a quarter of an hour, of which some may be refused. */
interface Burst extends Pick<KeySketch, 'caller' | 'request'> {
  keyId: string
  ms: number
  count: number
  refused: number
  why: string
}

const LOGGED_MS = 2 * DAY_MS

/** A number from 0 to 1 that depends only on its arguments. */
const noise = (a: number, b: number) => Math.abs((Math.sin(a * 12.9898 + b * 78.233) * 43_758.5453) % 1)

/** Writes what a server would have recorded. */
async function insertHistory(tx: Transaction, workspace: WorkspaceRecord, keys: [KeySketch, KeyRecord][], now: number) {
  const { id: workspace_id, timezone } = workspace
  for (const [index, [sketch, key]] of keys.entries()) {
    const bursts = burstsOf(sketch, key, index, timezone, now)
    const byDay = Map.groupBy(bursts, ({ ms }) => localDate(zoneNamed(timezone), ms))
    for (const [day, all] of byDay)
      for (const [refused, count] of [
        ['', sumOf(all.map((burst) => burst.count - burst.refused))],
        [all.at(-1)?.why ?? '', sumOf(all.map((burst) => burst.refused))],
      ] as const)
        if (count > 0) await insertRow(tx, 'key_use', { key_id: key.id, day, refused, count })
    const used = bursts.findLast(({ count, refused }) => count > refused)
    const refusal = bursts.findLast(({ refused }) => refused > 0)
    const leakedMs = sketch.leakedAge === undefined ? undefined : now - sketch.leakedAge * DAY_MS
    const at = (ms: number | undefined) => (ms === undefined ? null : isoOf(ms))
    await tx.run(
      'UPDATE api_keys SET last_used_at = ?, last_refused_at = ?, last_refusal = ?, leaked_at = ?, leaked_in = ? WHERE id = ?',
      ...[
        at(used?.ms),
        at(refusal?.ms),
        refusal?.why ?? null,
        at(leakedMs),
        leakedMs === undefined ? null : 'url',
        key.id,
      ],
    )
    for (const burst of bursts.filter(({ ms }) => now - ms < LOGGED_MS))
      await insertRow(tx, 'request_log', { workspace_id, ...logOf(burst) })
  }
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

function burstsOf(sketch: KeySketch, key: KeyRecord, index: number, timezone: string | null, now: number): Burst[] {
  const { hours, weekday, weekend, overQuota, end, caller, request } = sketch
  const bursts: Burst[] = []
  for (let ms = Date.parse(key.createdAt) + HOUR_MS * noise(index, 0); ms < now - HOUR_MS / 4; ms += HOUR_MS / 4) {
    const wall = new Date(zoneNamed(timezone).wallTime(ms))
    if (wall.getUTCHours() < hours.from || wall.getUTCHours() >= hours.to) continue
    const isAdmitted = end === undefined || ms < now - end.age * DAY_MS
    const usual = (wall.getUTCDay() % 6 === 0 ? weekend : weekday) * (isAdmitted ? 0.25 : 0.025)
    const count = Math.floor(usual * (0.6 + 0.8 * noise(ms / HOUR_MS, index)) + noise(index, ms / HOUR_MS))
    const refused = isAdmitted ? Math.round(count * overQuota) : count
    const why = isAdmitted ? 'over_quota' : end.kind
    if (count > 0) bursts.push({ keyId: key.id, caller, request, ms, count, refused, why })
  }
  return bursts
}

/** The last request of the quarter, refused as often as all of them. */
function logOf({ keyId, caller: { address, agent }, request, ms, count, refused, why }: Burst) {
  const isServed = noise(ms, 2) >= refused / count
  const [status, code] = isServed ? [200, null] : why === 'over_quota' ? [429, 'rate_limited'] : [401, 'unauthorized']
  const cost = { ms: Math.round(20 + 60 * noise(ms, 1)) / 10, bytes: isServed ? request.bytes : 233 }
  const seen = { at: isoOf(ms), request_id: randomUUID(), refused: isServed ? null : why, address, agent }
  return { key_id: keyId, ...request, status, code, outcome: isServed ? 'ok' : 'refused', ...cost, ...seen }
}
