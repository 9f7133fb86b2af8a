import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type AttentionKind, evaluateKey, urgencyOf } from '../../../src/keys/evaluate.ts'
import { KEYS_PER_PAGE, keyFilters, type ListingRequest, readListing } from '../../../src/keys/listing.ts'
import { hasEnded, replacementsAmong } from '../../../src/keys/state.ts'
import { workspaceOrThrow } from '../../../src/workspaces/records.ts'
import { listKeys, storeKey } from '../../support/keys.ts'
import { KEYS, signedIn } from '../../support/person.ts'
import { NOON, type Service, startService } from '../../support/service.ts'

const DAY = 86_400_000
const at = (ms: number) => new Date(NOON + ms).toISOString()
const idOf = (index: number) => `key_${String(index).padStart(18, '0')}`

/** Labels are at most 100 characters; each of these is five bytes of a page. */
const LONGEST = '&'.repeat(96)

/** Many keys besides the service's own, the later ones older; of each ten, one is paused, one revoked, one expired. */
async function withManyKeys(t: TestContext, count: number) {
  const service = await startService(t)
  const record = (workspaceId: string, index: number) => ({
    ...{ id: idOf(index), workspaceId, prefix: `vtr_${String(index).padStart(6, '0')}`, label: `${LONGEST}${index}` },
    ...{ permissions: ['workspace:read', 'tasks:read'], quota: { limit: 1000, windowSeconds: 3600 } },
    createdBy: `${'long.name.'.repeat(6)}@a-rather-long-company-name.example`,
    createdAt: at(-(index + 1) * 60_000 - 40 * DAY),
    expiresAt: index % 10 === 2 ? at(-DAY) : index % 2 === 0 ? null : at((index + 20) * DAY),
    pausedAt: index % 10 === 0 ? at(-DAY) : null,
    revokedAt: index % 10 === 1 ? at(-DAY) : null,
  })
  const workspaceId = await service.operator.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, 'acme')
    for (let index = 0; index < count; index++) {
      // A third of them were last used long ago, and half of them were seen in a URL.
      const since = index % 3 === 0 ? 31 : 1
      const leak = index % 2 === 0 ? ({ seen: 'url', at: at(-DAY) } as const) : null
      await storeKey(tx, { ...record(id, index), lastUsedAt: at(-since * DAY - index * 1000), leak })
      for (let day = since; day < since + 3; day++)
        await tx.run(
          "INSERT INTO key_use (key_id, day, refused, count) VALUES (?, ?, '', ?)",
          ...[idOf(index), at(-day * DAY).slice(0, 10), 123_456],
        )
    }
    return id
  })
  return { service, workspaceId }
}

const view = (more: Partial<ListingRequest> = {}): ListingRequest => ({
  search: '',
  show: 'all',
  page: 1,
  ...more,
})

const listingOf = ({ operator }: Service, workspaceId: string, more: Partial<ListingRequest> = {}) =>
  readListing(operator, workspaceId, view(more), { nowMs: NOON, timezone: 'Europe/London' })

test('200 keys with the longest labels come in pages of under 60 KB, each key once', async (t) => {
  const { service } = await withManyKeys(t, 199)
  const browser = await signedIn(service)
  const filters = { '': 200, 'show=attention&': 107, 'show=leaked&': 80, 'show=live&': 140 }
  for (const [filter, expected] of Object.entries(filters)) {
    const seen: string[] = []
    let path: string | undefined = `${KEYS}?${filter}`
    while (path !== undefined) {
      const page = await browser.get(path)
      assert.ok(Buffer.byteLength(page.text) < 60_000, `${path}: ${Buffer.byteLength(page.text)} bytes`)
      const rows = [...page.text.matchAll(/<a class="label" [^>]*\/(key_\w+)"/g)].map(([, id]) => id ?? '')
      seen.push(...rows)
      path = /href="([^"]+)" rel="next"/.exec(page.text)?.[1]?.replaceAll('&#38;', '&')
      if (path !== undefined) assert.ok(path.includes(filter.replace(/&$/, '')), path)
    }
    assert.equal(new Set(seen).size, seen.length)
    assert.equal(seen.length, expected)
  }
})

const MANY = 303

const everyKey = ({ operator }: Service, workspaceId: string) =>
  operator.read(async (tx) => (await listKeys(tx, workspaceId)).reverse())

/** The list by its definition: all keys, in memory. */
function expectedPage(keys: Awaited<ReturnType<typeof everyKey>>, { search, show, page }: ListingRequest) {
  const replacements = replacementsAmong(keys.toReversed())
  const urgency = (kinds: readonly AttentionKind[]) => Math.min(...kinds.map((kind) => urgencyOf[kind]), 3)
  const evaluated = keys.map((key) => ({ key, ...evaluateKey(key, replacements, NOON) }))
  const found = evaluated
    .filter(({ key: { label, prefix } }) => label.includes(search) || prefix.startsWith(`vtr_${search}`))
    .filter(({ state: { kind }, attention, neverExpires }) => {
      const group = kind === 'expiring' ? 'live' : kind
      if (show === 'attention') return attention.length > 0
      if (show === 'never_expires') return neverExpires
      return show === 'all' || show === group || attention.some((each) => each === show)
    })
    .sort(
      (a, b) =>
        Number(b.attention.includes('leaked')) - Number(a.attention.includes('leaked')) ||
        Number(hasEnded(a)) - Number(hasEnded(b)) ||
        (show === 'attention' ? urgency(a.attention) - urgency(b.attention) : 0),
    )
  const shown = found.slice((page - 1) * KEYS_PER_PAGE, page * KEYS_PER_PAGE)
  return { count: found.length, ids: shown.map(({ key }) => key.id) }
}

test('any page matches that of all keys, filtered and searched', async (t) => {
  const { service, workspaceId } = await withManyKeys(t, MANY)
  const { operator, keys } = service
  for (const index of [5, 295, 299]) await keys.rotate(idOf(index), DAY)
  await operator.transaction((tx) => tx.run('UPDATE api_keys SET label = ? WHERE id = ?', 'ＷＩＤＥ label', idOf(158)))
  const views: Partial<ListingRequest>[] = [
    ...[1, 2, 30, 35, 36, 51].map((page) => ({ page })),
    ...keyFilters.flatMap((show) => [1, 2, 5].map((page) => ({ show, page }))),
    ...[1, 3].flatMap((page) => [
      { search: '9', page },
      { search: '00', show: 'revoked' as const, page },
    ]),
    { search: '7', page: 2 },
  ]
  const every = await everyKey(service, workspaceId)
  for (const more of views) {
    const shown = view(more)
    const { counts, keys: found, page } = await listingOf(service, workspaceId, more)
    const { count, ids } = expectedPage(every, { ...shown, page })
    assert.equal(counts[shown.show], count, JSON.stringify(more))
    assert.deepEqual(
      found.map(({ id }) => id),
      ids,
      JSON.stringify(more),
    )
  }
  const wide = await listingOf(service, workspaceId, { search: 'wide LABEL' })
  assert.deepEqual(
    wide.keys.map(({ id }) => id),
    [idOf(158)],
  )
})
