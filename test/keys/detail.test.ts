import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFirstOutcome } from '../../src/keys/history.ts'
import { readKeyDetail, readOverviews } from '../../src/keys/overview.ts'
import { findKey } from '../../src/keys/records.ts'
import { type RequestOutcome, readRequests } from '../../src/keys/request-log.ts'
import { readHours } from '../../src/keys/workspace-use.ts'
import { createWorkspace } from '../support/changes.ts'
import { changeElsewhere } from '../support/database.ts'
import { startService } from '../support/service.ts'

const [FIRST, LAST] = ['2026-11-14T10:00:00.000Z', '2026-11-15T10:00:00.000Z']
const TIME = { nowMs: Date.parse('2026-11-15T12:00:00.000Z'), timezone: 'Pacific/Auckland' }

test('what came of a new key: a leak whatever came after it, else what was served, else the last refusal', async (t) => {
  const { operator, createKey, changeElsewhere } = await startService(t)
  const { id } = await createKey()
  const logged = (at: string, refused: string, agent: string) =>
    `('', '${id}', '${at}', 'r', 'GET /tasks', ${refused}, 'ok', 1, 0, NULL, '${agent}')`
  await changeElsewhere(
    `INSERT INTO request_log (workspace_id, key_id, at, request_id, operation, refused, outcome, ms, bytes, address, agent)
     VALUES ${[logged(FIRST, 'NULL', 'curl/1'), logged(LAST, 'NULL', 'curl/2'), logged(LAST, "'paused'", 'curl/3')]}`,
  )
  const after = async (columns: Record<string, string>) => {
    const set = Object.entries(columns).map(([name, value]) => `${name} = '${value}'`)
    await changeElsewhere(`UPDATE api_keys SET ${set} WHERE id = '${id}'`)
    const key = await operator.read((tx) => findKey(tx, id))
    return operator.read((tx) => findFirstOutcome(tx, key ?? assert.fail()))
  }
  assert.equal(await after({ label: 'unused' }), undefined)
  const refused = await after({ last_refused_at: LAST, last_refusal: 'paused' })
  assert.deepEqual(refused, { kind: 'refused', why: 'paused', at: LAST, from: 'curl/3' })
  assert.deepEqual(await after({ last_used_at: LAST }), { kind: 'served', at: LAST, from: 'curl/2' })
  const leaked = await after({ leaked_at: FIRST, leaked_in: 'url' })
  assert.deepEqual(leaked, { kind: 'refused', why: 'url', at: FIRST, from: null })
})

test('requests are found by outcome, and counted by hour for a key and for its workspace', async (t) => {
  const { operator, createKey, workspaceId, changeElsewhere } = await startService(t)
  const [served, refused] = [(await createKey()).id, (await createKey()).id]
  await changeElsewhere(
    `INSERT INTO request_log (workspace_id, key_id, at, request_id, operation, refused, outcome, ms, bytes) VALUES
      ('${workspaceId}', '${served}', '2026-11-15T11:00:00.000Z', 'r', 'GET /tasks', NULL, 'ok', 1, 0),
      ('${workspaceId}', '${refused}', '2026-11-15T11:00:00.000Z', 'r', 'GET /tasks', 'paused', 'refused', 1, 0)`,
  )
  await operator.read(async (tx) => {
    const found = async (outcome: RequestOutcome) =>
      (await readRequests(tx, { ...TIME, workspaceId, outcome }, { limit: 9 })).map(({ keyId }) => keyId)
    assert.deepEqual([await found('ok'), await found('refused')], [[served], [refused]])
    const lastHour = async (keyId?: string) => (await readHours(tx, { workspaceId, keyId }, TIME)).at(-2)
    const hour = '2026-11-16T00:00'
    assert.deepEqual(await lastHour(), { day: hour, served: 1, refused: { some_reason: 1 } })
    assert.deepEqual(await lastHour(served), { day: hour, served: 1, refused: { some_reason: 0 } })
  })
})

test("a key's details have its days, callers, predecessor and successors", async (t) => {
  const service = await startService(t)
  const { operator, keys, databaseUrl } = service
  const workspaceId = (await keys.list('acme'))[0]?.workspaceId ?? ''
  const first = await service.createKey({ label: 'first' })
  const { id } = (await keys.rotate(first.id, 0)).key
  const third = (await keys.rotate(id, 60_000)).key.id
  const fourth = (await keys.rotate(third, 60_000)).key.id
  // In Auckland it is the 16th already, and its 30 days begin with 18 October.
  await changeElsewhere(
    databaseUrl,
    `
    INSERT INTO key_use (key_id, day, refused, count) VALUES
      ('${id}', '2025-01-01', '', 1000),
      ('${id}', '2026-10-17', '', 100),
      ('${id}', '2026-10-18', '', 9),
      ('${id}', '2026-11-15', '', 4),
      ('${id}', '2026-11-15', 'over_quota', 3),
      ('${id}', '2026-11-15', 'forbidden', 2),
      ('${id}', '2026-11-15', 'browser', 1),
      ('${id}', '2026-11-16', '', 1),
      ('${id}', '2026-11-16', 'damaged', 4);
    UPDATE api_keys SET last_used_at = '2026-11-15T11:30:00.000Z', leaked_at = '2026-11-15T10:30:00.000Z', leaked_in = 'url' WHERE id = '${id}';
    INSERT INTO request_log (workspace_id, key_id, at, request_id, operation, refused, outcome, ms, bytes, address, agent) VALUES
      ('', '${id}', '${FIRST}', 'r', 'GET /tasks', NULL, 'ok', 1, 0, '203.0.113.7', 'curl/8'),
      ('', '${id}', '${LAST}', 'r', 'GET /tasks', NULL, 'failed', 1, 0, '203.0.113.7', 'curl/8'),
      ('', '${id}', '${FIRST}', 'r', 'GET /tasks', NULL, 'ok', 1, 0, NULL, NULL),
      ('', '${id}', '${LAST}', 'r', 'GET /tasks', 'network', 'refused', 1, 0, '198.51.100.4', 'curl/8')`,
  )

  const detail = await operator.read((tx) => readKeyDetail(tx, workspaceId, id, TIME))
  assert.ok(detail)
  assert.equal(detail.useCount, 1114)
  assert.equal(detail.lastUsedAt, '2026-11-15T11:30:00.000Z')
  assert.equal(detail.days.length, 30)
  assert.deepEqual(detail.days[0], { day: '2026-10-18', served: 9, refused: {} })
  assert.deepEqual(detail.days[1], { day: '2026-10-19', served: 0, refused: {} })
  assert.deepEqual(detail.days[28], {
    ...{ day: '2026-11-15', served: 4 },
    refused: { over_quota: 3, forbidden: 2, browser: 1 },
  })
  assert.deepEqual(detail.days[29], { day: '2026-11-16', served: 1, refused: { damaged: 4 } })
  assert.deepEqual(detail.dailyUse, [...Array(12).fill(0), 10, 5])
  assert.deepEqual(detail.dailyRefused, [...Array(12).fill(0), 6, 4])
  // Where the 15th is not over yet, what was counted on the 16th is not lost.
  const inUtc = await operator.read((tx) => readKeyDetail(tx, workspaceId, id, { ...TIME, timezone: 'UTC' }))
  assert.deepEqual(inUtc?.days.at(-1), {
    ...{ day: '2026-11-15', served: 5 },
    refused: { over_quota: 3, forbidden: 2, browser: 1, damaged: 4 },
  })
  assert.equal(inUtc?.dailyUse.at(-1), 15)
  assert.deepEqual(detail.callers, [
    { address: '203.0.113.7', agent: 'curl/8', count: 2, firstAt: FIRST, lastAt: LAST },
    { address: null, agent: null, count: 1, firstAt: FIRST, lastAt: FIRST },
  ])
  assert.equal(detail.predecessor?.id, first.id)
  assert.equal(detail.predecessor?.state.kind, 'revoked')
  assert.deepEqual(new Set(detail.successors.map((each) => each.id)), new Set([third, fourth]))
  assert.deepEqual(detail.leak, { seen: 'url', at: '2026-11-15T10:30:00.000Z' })
  assert.ok(detail.attention.includes('leaked'))

  const listed = await operator.read((tx) => readOverviews(tx, workspaceId, [id], TIME))
  const { useCount, days, callers, lastOutside, predecessor, successors, successorCount, ...overview } = detail
  assert.equal(lastOutside, 'curl/8 at 198.51.100.4')
  assert.equal(successorCount, 2)
  assert.deepEqual(listed, [overview])
  const other = await createWorkspace(operator, { name: 'B', slug: 'b' }, 'test', new Date().toISOString())
  assert.equal(await operator.read((tx) => readKeyDetail(tx, other.id, id, TIME)), undefined)
  assert.equal(await operator.read((tx) => readKeyDetail(tx, workspaceId, 'key_none', TIME)), undefined)
})
