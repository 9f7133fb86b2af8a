import { randomUUID } from 'node:crypto'
import { insertRow } from '../../../database/statements.ts'
import type { Transaction } from '../../../database/store.ts'
import { Keys } from '../../../keys/life-cycle.ts'
import { DAY_MS, HOUR_MS } from '../../../lib/duration.ts'
import { isoOf } from '../../../lib/instant.ts'
import { addMember } from '../../../members/members.ts'
import type { WorkspaceRecord } from '../../../workspaces/records.ts'

/** Oldest first: the label, the age and remaining life in days, the requests a day, and who sends them. */
const KEYS = [
  ['Nightly report', 35, 55, 20, 'python-requests/2.32'],
  ['Old importer', 34, 55, 6, 'curl/8.7.1'],
  ['Claude Code, Inês’s laptop', 33, 146, 30, 'claude-code/2.1'],
  ['Stock dashboard', 32, 9, 50, 'node'],
  ['Freelancer', 30, 60, 9, 'curl/8.7.1'],
  ['Planning sheet', 24, 66, 4, 'Google-Apps-Script'],
] as const

/** How long ago, in days. */
const ENDED: Record<string, { refused: 'revoked' | 'paused'; age: number }> = {
  'Old importer': { refused: 'revoked', age: 12 },
  Freelancer: { refused: 'paused', age: 9 },
}
const LOGGED_DAYS = 7

/** Five weeks of changes and requests, as commands and servers would have recorded them. */
export async function addHistory(tx: Transaction, workspace: WorkspaceRecord, permissions: string[], now: number) {
  const { id: workspace_id, slug, createdAt: created_at } = workspace
  const ago = (days: number) => now - days * DAY_MS
  const keysAt = (days: number) => new Keys(tx, 'ines@northwind.example', ago(days))
  const ids = new Map<string, string>()
  for (const [label, age, life, daily, agent] of KEYS) {
    const wanted = { label, permissions, quota: null, expiresAt: isoOf(ago(-life)) }
    const { id } = (await keysAt(age).create(slug, wanted)).key
    ids.set(label, id)
    for (let day = age - 1; day >= 0; day--) await addDay(id, day, daily, agent, ENDED[label])
  }
  await addMember(tx, slug, { email: 'tom@northwind.example', role: 'admin' }, 'demo', isoOf(ago(20)))
  await keysAt(12).revoke(ids.get('Old importer') ?? '')
  await keysAt(9).pause(ids.get('Freelancer') ?? '')
  const leak = "UPDATE api_keys SET leaked_at = ?, leaked_in = 'url' WHERE id = ?"
  await tx.run(leak, isoOf(ago(3)), ids.get('Planning sheet') ?? '')
  for (const [name, hours, every_seconds] of [
    ['linear', 3, 86_400],
    ['supplier-sheet', 26, 3600],
  ] as const) {
    const at = isoOf(now - hours * HOUR_MS)
    const times = { created_at, synced_at: at, attempted_at: at, every_seconds }
    await insertRow(tx, 'sources', { workspace_id, list: 'tasks', name, location: `${name}.json`, ...times })
  }

  /** Spread over a day. Once the key has ended, a tenth of the requests continue, and are refused. */
  async function addDay(key_id: string, day: number, daily: number, agent: string, end?: (typeof ENDED)[string]) {
    const refused = end !== undefined && day < end.age ? end.refused : null
    const usual = daily * (1 + 0.4 * Math.sin(day * daily))
    const count = Math.ceil(refused === null ? usual : usual / 10)
    const start = Math.floor(ago(day) / DAY_MS) * DAY_MS
    const times = Array.from({ length: count }, (_, i) => start + Math.floor(((i + 0.37) * DAY_MS) / count)).filter(
      (ms) => ms < now,
    )
    await insertRow(tx, 'key_use', {
      key_id,
      day: isoOf(start).slice(0, 10),
      refused: refused ?? '',
      count: times.length,
    })
    const last = refused === null ? 'last_used_at = ?' : `last_refusal = '${refused}', last_refused_at = ?`
    await tx.run(`UPDATE api_keys SET ${last} WHERE id = ?`, isoOf(times.at(-1) ?? start), key_id)
    const outcome =
      refused === null ? { outcome: 'ok', status: 200 } : { outcome: 'refused', status: 401, code: 'unauthorized' }
    for (const ms of day < LOGGED_DAYS ? times : []) {
      const request = {
        operation: 'GET /tasks',
        address: '203.0.113.7',
        agent,
        bytes: refused === null ? 9085 : 312,
        ms: 2 + (ms % 50) / 10,
      }
      const seen = { workspace_id, key_id, at: isoOf(ms), request_id: randomUUID(), refused }
      await insertRow(tx, 'request_log', { ...seen, ...request, ...outcome })
    }
  }
}
