import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { SqlValue, Transaction } from '../../src/database/store.ts'
import { KEYS_PER_PAGE, type ListingRequest, readListing } from '../../src/keys/listing.ts'
import { insertKey, type KeyRecord } from '../../src/keys/records.ts'
import { workspaceOrThrow } from '../../src/resources/workspace/records.ts'
import { KEYS, signedIn } from '../support/person.ts'
import { NOON, type Service, startService } from '../support/service.ts'

const DAY = 86_400_000
const at = (ms: number) => new Date(NOON + ms).toISOString()
const idOf = (index: number) => `key_${String(index).padStart(18, '0')}`

/** Labels are at most 100 characters; each of these is five bytes of a page. */
const LONGEST = '&'.repeat(97)

/** Many keys beside the service's own, the later ones older; of each ten, one is paused, one revoked, one expired. */
async function withManyKeys(t: TestContext, count: number) {
  const service = await startService(t)
  const record = (workspaceId: string, index: number): KeyRecord => ({
    ...{ id: idOf(index), workspaceId, prefix: `vtr_${String(index).padStart(6, '0')}`, label: `${LONGEST}${index}` },
    ...{ permissions: ['workspace:read', 'tasks:read'], quota: { limit: 1000, windowSeconds: 3600 } },
    createdBy: `${'long.name.'.repeat(6)}@a-rather-long-company-name.example`,
    createdAt: at(-(index + 1) * 60_000 - 40 * DAY),
    expiresAt: index % 10 === 2 ? at(-DAY) : index % 2 === 0 ? null : at((index + 20) * DAY),
    retiresAt: null,
    pausedAt: index % 10 === 0 ? at(-DAY) : null,
    revokedAt: index % 10 === 1 ? at(-DAY) : null,
    replaces: null,
  })
  const workspaceId = await service.operator.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, 'acme')
    for (let index = 0; index < count; index++) {
      await insertKey(tx, record(id, index), hash('sha256', String(index)))
      // A third of them were last used long ago.
      const since = index % 3 === 0 ? 31 : 1
      for (let day = since; day < since + 3; day++)
        await tx.run(
          'INSERT INTO key_use (key_id, day, count, last_at) VALUES (?, ?, ?, ?)',
          ...[idOf(index), at(-day * DAY).slice(0, 10), 123_456, at(-day * DAY - index * 1000)],
        )
      // Half of them were seen in a URL.
      if (index % 2 === 0)
        await tx.run(
          `INSERT INTO key_incidents (key_id, day, kind, count, first_at, last_at) VALUES (?, ?, 'url', 1, ?, ?)`,
          ...[idOf(index), at(-DAY).slice(0, 10), at(-DAY), at(-DAY)],
        )
    }
    return id
  })
  return { service, workspaceId }
}

const view = (more: Partial<ListingRequest> = {}): ListingRequest => ({
  search: '',
  show: 'all',
  sort: 'newest',
  page: 1,
  ...more,
})

const listingOf = ({ operator }: Service, workspaceId: string, more: Partial<ListingRequest> = {}) =>
  operator.read((tx) => readListing(tx, workspaceId, view(more), { nowMs: NOON, timezone: 'Europe/London' }))

test('200 keys with the longest labels come in pages of under 60 KB, each key once', async (t) => {
  const { service } = await withManyKeys(t, 199)
  const browser = await signedIn(service)
  const filters = { '': 200, 'show=attention&': 108, 'show=leaked&': 80, 'show=live&sort=label&': 140 }
  for (const [filter, expected] of Object.entries(filters)) {
    const seen: string[] = []
    let path: string | undefined = `${KEYS}?${filter}`
    while (path !== undefined) {
      const page = await browser.get(path)
      assert.ok(Buffer.byteLength(page.text) < 60_000, `${path}: ${Buffer.byteLength(page.text)} bytes`)
      seen.push(...[...page.text.matchAll(/<tbody role="rowgroup" id="([^"]+)"/g)].map(([, id]) => id ?? ''))
      path = /href="([^"]+)" rel="next"/.exec(page.text)?.[1]?.replaceAll('&#38;', '&')
      if (path !== undefined) assert.ok(path.includes(filter.replace(/&$/, '')), path)
    }
    assert.equal(new Set(seen).size, seen.length)
    assert.equal(seen.length, expected)
  }
})

test('the list is counted by state, and sorted; keys that have ended come last', async (t) => {
  const { service, workspaceId } = await withManyKeys(t, 60)
  const { counts, total, pages, attention } = await listingOf(service, workspaceId)
  assert.deepEqual([total, pages], [61, 4])
  const { all, live, paused, rotating, expired, revoked } = counts
  assert.deepEqual(
    { all, live, paused, rotating, expired, revoked },
    { all: 61, live: 43, paused: 6, rotating: 0, expired: 6, revoked: 6 },
  )
  assert.deepEqual([counts.leaked, counts.never_expires, counts.attention], [24, 19, 33])
  assert.deepEqual(
    attention.map(({ kind, count, keys }) => [kind, count, keys.length]),
    [
      ['leaked', 24, 0],
      ['unused', 14, 0],
      ['never_expires', 19, 0],
    ],
  )
  const everyPage = async (more: Partial<ListingRequest>) => {
    const found = []
    for (let page = 1; page <= 4; page++) found.push(...(await listingOf(service, workspaceId, { ...more, page })).keys)
    return found
  }
  for (const [sort, first] of [
    ['newest', 'test'],
    ['used', `${LONGEST}4`],
    ['expiry', `${LONGEST}3`],
    ['label', `${LONGEST}0`],
  ] as const) {
    const keys = await everyPage({ sort })
    assert.equal(keys.length, 61)
    assert.equal(keys[0]?.label, first, sort)
    const ended = keys.map(({ state }) => ['revoked', 'expired'].includes(state.kind))
    assert.deepEqual(ended, [...Array(49).fill(false), ...Array(12).fill(true)], sort)
  }
  const labels = (await everyPage({ sort: 'label', show: 'paused' })).map(({ label }) => label.replace(LONGEST, ''))
  assert.deepEqual(labels.slice(0, 6), ['0', '10', '20', '30', '40', '50'])
  assert.equal((await listingOf(service, workspaceId, { page: 99 })).page, 4)
  const found = await listingOf(service, workspaceId, { search: 'vtr_00001', show: 'revoked' })
  assert.deepEqual([found.counts.all, found.counts.revoked, found.keys.length], [10, 1, 1])
})

test('however many keys there are, the history is read of those shown', async (t) => {
  const { service, workspaceId } = await withManyKeys(t, 300)
  const read: { sql: string; rows: number }[] = []
  await service.operator.read(async (tx) => {
    const watched: Transaction = {
      nowMs: tx.nowMs,
      lock: (...names) => tx.lock(...names),
      rowsOf: (...names) => tx.rowsOf(...names),
      byBytes: tx.byBytes,
      pages: (sql, ...values) => tx.pages(sql, ...values),
      run: (sql, ...values) => tx.run(sql, ...values),
      async all<T>(sql: string, ...values: SqlValue[]) {
        const rows = await tx.all<T>(sql, ...values)
        read.push({ sql, rows: rows.length })
        return rows
      },
    }
    return readListing(watched, workspaceId, view(), { nowMs: NOON, timezone: 'Europe/London' })
  })
  assert.equal(read.length, 4)
  const uses = read.filter(({ sql }) => sql.includes('JOIN key_use'))
  assert.equal(uses.length, 1)
  for (const { rows } of uses) assert.ok(rows > 0 && rows <= KEYS_PER_PAGE * 3, `${rows} rows`)
})
