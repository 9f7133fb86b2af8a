import { randomUUID } from 'node:crypto'
import { insertRow } from '../../../database/statements.ts'
import type { Transaction } from '../../../database/store.ts'
import { Keys } from '../../../keys/life-cycle.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/duration.ts'
import { isoOf } from '../../../lib/instant.ts'
import { localDate, zoneNamed } from '../../../lib/local-dates.ts'
import { addMember } from '../../../members/members.ts'
import type { WorkspaceRecord } from '../../../workspaces/records.ts'
import history from './history.json' with { type: 'json' }

/** Ages and expiries are in days, quotas are for an hour. `callers` has what each key sends, in the same order. */
type Sketch = (typeof history.keys)[number]

const LOGGED_MS = 7 * DAY_MS

/** Five weeks of changes and requests, as commands and servers would have recorded them. */
export async function addHistory(tx: Transaction, workspace: WorkspaceRecord, permissions: string[], now: number) {
  const { id: workspace_id, slug, createdAt: created_at } = workspace
  const timeOf = (age: number) => now - age * DAY_MS
  const ids = new Map<Sketch, string>()
  const changes: { age: number; apply(): Promise<unknown> }[] = []
  for (const { age, ...member } of history.members)
    changes.push({ age, apply: () => addMember(tx, slug, member, 'demo', isoOf(timeOf(age))) })
  for (const sketch of history.keys) {
    const { label, by, age, expires, quota: limit, paused, revoked } = sketch
    const keysAt = (days: number) => new Keys(tx, `${by}@northwind.example`, timeOf(days))
    const quota = limit === undefined ? null : { limit, windowSeconds: HOUR_MS / 1000 }
    const wanted = { label, permissions, quota, expiresAt: isoOf(timeOf(-expires)) }
    changes.push({ age, apply: async () => ids.set(sketch, (await keysAt(age).create(slug, wanted)).key.id) })
    if (paused) changes.push({ age: paused, apply: () => keysAt(paused).pause(ids.get(sketch) ?? '') })
    if (revoked) changes.push({ age: revoked, apply: () => keysAt(revoked).revoke(ids.get(sketch) ?? '') })
  }
  // In the order that the audit log shows.
  for (const { apply } of changes.sort((a, b) => b.age - a.age)) await apply()
  for (const [sketch, id] of ids) await addRequests(tx, workspace, sketch, id, now)
  for (const { hours, ...source } of history.sources) {
    const at = isoOf(now - hours * HOUR_MS)
    const times = { created_at, synced_at: at, attempted_at: at }
    await insertRow(tx, 'sources', { workspace_id, list: 'tasks', ...source, ...times })
  }
}

async function addRequests(tx: Transaction, workspace: WorkspaceRecord, sketch: Sketch, key_id: string, now: number) {
  const requests = requestsOf(sketch, now)
  const zone = zoneNamed(workspace.timezone)
  const sums = Map.groupBy(requests, ({ ms, refused }) => `${localDate(zone, ms)} ${refused ?? ''}`)
  for (const [group, { length: count }] of sums) {
    const [day = '', refused = ''] = group.split(' ')
    await insertRow(tx, 'key_use', { key_id, day, refused, count })
  }
  const used = requests.findLast(({ refused }) => refused === null)
  const refusal = requests.findLast(({ refused }) => refused !== null)
  const leakedAt = sketch.leaked === undefined ? null : isoOf(now - sketch.leaked * DAY_MS)
  await tx.run(
    'UPDATE api_keys SET last_used_at = ?, last_refused_at = ?, last_refusal = ?, leaked_at = ?, leaked_in = ? WHERE id = ?',
    ...[used?.at ?? null, refusal?.at ?? null, refusal?.refused ?? null, leakedAt, leakedAt && 'url', key_id],
  )
  const [address = null, agent = null, operation = null, tool = null, argumentNames = null, size = null] =
    history.callers[history.keys.indexOf(sketch)] ?? []
  const call = { address, agent, operation, tool, arguments: argumentNames }
  for (const { ms, at, refused } of requests.filter((request) => now - request.ms < LOGGED_MS)) {
    const [status, code] = refused === 'over_quota' ? [429, 'rate_limited'] : [401, 'unauthorized']
    const response = refused
      ? { outcome: 'refused', status, code, bytes: 233 }
      : { outcome: 'ok', status: 200, bytes: size }
    const seen = { workspace_id: workspace.id, key_id, at, request_id: randomUUID(), refused }
    await insertRow(tx, 'request_log', { ...seen, ...call, ...response, ms: Math.round(20 + 60 * noise(ms, 1)) / 10 })
  }
}

/** Oldest first. From the key's end on, a tenth of the requests continue, and are refused. */
function requestsOf({ age, daily, hours: [from = 0, to = 24], quota = daily, paused, revoked }: Sketch, now: number) {
  const end = now - (paused ?? revoked ?? 0) * DAY_MS
  const today = Math.floor(now / DAY_MS)
  return Array.from({ length: age }, (_, i) => today - age + 1 + i).flatMap((day) => {
    const count = Math.round(daily * (0.6 + 0.8 * noise(day, daily)))
    const isBusy = count > quota * (to - from)
    return Array.from({ length: count }, (_, i) => {
      const ms = Math.floor(day * DAY_MS + (from + ((to - from) * (i + noise(day, i))) / count) * HOUR_MS)
      const ended = ms < end ? null : paused === undefined ? 'revoked' : 'paused'
      return { ms, at: isoOf(ms), refused: ended ?? (isBusy && i % (quota + 1) === quota ? 'over_quota' : null) }
    }).filter(({ ms }, i) => ms < now && (ms < end || i % 10 === 0))
  })
}

/** A number from 0 to 1 that depends only on its arguments. */
const noise = (a: number, b: number) => Math.abs((Math.sin(a * 12.9898 + b * 78.233) * 43_758.5453) % 1)
