// On both engines: each engine records in its own way.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type RequestFilter, readRequests, removeOldRequests } from '../../src/keys/request-log.ts'
import { connectElsewhere, writeUnchecked } from '../support/database.ts'
import { at, NOON, startService } from '../support/service.ts'

async function start(t: TestContext) {
  const service = await startService(t)
  const workspaceId = (await service.keys.list('acme'))[0]?.workspaceId ?? ''
  const elsewhere = await connectElsewhere(service.databaseUrl, t)
  const insert = (rows: string) =>
    elsewhere.run(
      `INSERT INTO request_log (workspace_id, key_id, number, at, request_id, operation, status, code, refused, outcome, ms, bytes) ${rows}`,
    )
  const read = (filter: Partial<RequestFilter>, page: { before?: number; limit: number } = { limit: 100 }) =>
    service.operator.read((tx) => readRequests(tx, { nowMs: NOON, workspaceId, ...filter }, page))
  const count = async () => Number((await elsewhere.all<{ n: number }>('SELECT count(*) AS n FROM request_log'))[0]?.n)
  return { service, workspaceId, elsewhere, insert, read, count }
}

test('the log keeps 1,000 requests per key, for 7 days', async (t) => {
  const { workspaceId, insert, read, count } = await start(t)
  const many = (key: string, from: number, to: number, minutes: number) =>
    insert(`
      SELECT '${workspaceId}', '${key}', n, '${at(minutes)}', 'r' || n, 'GET /tasks', 200, NULL, NULL, 'ok', 1, 0 FROM (
        WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${to})
        SELECT n FROM numbers) AS numbers ORDER BY n`)
  await many('old', 1, 40, -8 * 24 * 60)
  await many('quiet', 1, 30, 0)
  assert.equal(await count(), 30, 'those of 8 days ago are gone')
  for (let from = 1; from < 3000; from += 90) await many('busy', from, from + 89, 1)
  const kept = await read({ keyId: 'busy' }, { limit: 5000 })
  assert.ok(kept.length >= 1000 && kept.length < 1100, String(kept.length))
  assert.equal(kept[0]?.requestId, 'r3060')
  assert.equal(await count(), kept.length + 30, 'a busy key takes nothing from a quiet one')
})

test('a full log drops the oldest requests of the workspaces with the most, and none of the others', async (t) => {
  const { service, elsewhere, insert } = await start(t)
  // Interleaved, the large ones last, so that the oldest belong to all.
  const columns = 'workspace_id, key_id, at, request_id, operation, outcome, ms, bytes'
  await writeUnchecked(
    service.databaseUrl,
    `INSERT INTO request_log (${columns})
     SELECT CASE n % 100 WHEN 0 THEN 'small' WHEN 1 THEN 'large' ELSE CASE n % 2 WHEN 0 THEN 'huge' ELSE 'other huge' END END,
       'key ' || n % 300, '${at(0)}', 'r', 'GET /tasks', 'ok', 1, 0
     FROM (WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 509999)
           SELECT n FROM numbers) AS numbers ORDER BY n`,
  )
  await insert(`VALUES ('small', 'last', 1, '${at(1)}', 'r', 'GET /tasks', 200, NULL, NULL, 'ok', 1, 0)`)
  const sizes = await elsewhere.all<{ name: string; size: number; first: number }>(
    'SELECT workspace_id AS name, count(*) AS size, min(id) AS first FROM request_log GROUP BY workspace_id ORDER BY name',
  )
  assert.deepEqual(
    sizes.map(({ name, size, first }) => [name, Number(size), Number(first)]),
    [
      ['huge', 244_900, 10_206],
      ['large', 5100, 1],
      ['other huge', 244_900, 10_207],
      ['small', 5100, 100],
    ],
  )
})

test('requests older than 7 days are not shown and are removed, though no others follow', async (t) => {
  const { service, workspaceId, insert, read, count } = await start(t)
  const week = 7 * 24 * 60
  const nowMs = Date.now()
  const at = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()
  const times = [...Array(1200).fill(-week - 1), -week + 60]
  await insert(
    `VALUES ${times.map((minutes, i) => `('${workspaceId}', 'a', 1, '${at(minutes)}', 'r${i}', 'GET /tasks', 200, NULL, NULL, 'ok', 1, 0)`)}`,
  )
  assert.equal(await count(), 1201)
  for (const filter of [{}, { keyId: 'a' }, { from: at(-2 * week) }])
    assert.deepEqual(
      (await read({ nowMs, ...filter })).map(({ requestId }) => requestId),
      ['r1200'],
    )
  await removeOldRequests(service.operator)
  assert.equal(await count(), 1)
})
