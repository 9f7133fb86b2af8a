import type { KeyDay, KeyDetail } from '../../src/keys/detail.ts'
import type { KeyOverview } from '../../src/keys/overview.ts'
import { resources } from '../../src/resources/index.ts'
import { type EditKeyModel, editKeyPage } from '../../src/web/keys/edit-page.ts'
import { pauseKeyPage } from '../../src/web/keys/pause-page.ts'
import { permissionWords } from '../../src/web/keys/permission-words.ts'
import { type KeyPageModel, keyPage } from '../../src/web/keys/show-page.ts'
import { ago, ahead, chrome, key, liveKey, NOW } from './sample-models.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const dayAgo = (days: number) => ago(days * DAY).slice(0, 10)
const daysWith = (of: (daysAgo: number) => Omit<KeyDay, 'day'>): KeyDay[] =>
  Array.from({ length: 30 }, (_, index) => ({ day: dayAgo(29 - index), ...of(29 - index) }))

const quietDays = daysWith(() => ({ answered: 0, refused: {} }))

/** Every kind of outcome, and one refusal among thousands of answers. */
export const busyDays = daysWith((daysAgo) => ({
  answered: [6, 7].includes(daysAgo % 7) ? 40 : 900 + ((daysAgo * 137) % 400),
  refused: {
    ...(daysAgo < 4 && { over_quota: 120 + daysAgo * 60 }),
    ...(daysAgo === 9 && { forbidden: 1 }),
    ...(daysAgo === 12 && { unknown: 260 }),
    ...(daysAgo === 15 && { browser: 90 }),
    ...([18, 19].includes(daysAgo) && { paused: 310 }),
    ...(daysAgo === 22 && { expired: 40, revoked: 75 }),
  },
}))

const someDays = daysWith((daysAgo) => ({
  answered: daysAgo % 7 > 4 ? 0 : 9 + ((daysAgo * 5) % 11),
  refused: daysAgo === 2 ? { over_quota: 3 } : {},
}))

export const callers: KeyDetail['callers'] = [
  { address: '203.0.113.7', agent: 'stock-agent/1.4', count: 1204, firstAt: ago(30 * DAY), lastAt: ago(3 * HOUR) },
  {
    address: '2001:db8:85a3::8a2e:370:7334',
    agent: 'curl/8.5.0',
    count: 3,
    firstAt: ago(9 * DAY),
    lastAt: ago(9 * DAY),
  },
]

/** What a hostile caller may call itself. */
export const hostileCallers: KeyDetail['callers'] = [
  {
    address: '198.51.100.9',
    agent: `Mozilla/5.0 ${'(very long) '.repeat(200)}`,
    count: 1,
    firstAt: ago(HOUR),
    lastAt: ago(HOUR),
  },
  { address: '198.51.100.9', agent: `x${'w'.repeat(900)}`, count: 1, firstAt: ago(HOUR), lastAt: ago(HOUR) },
  { address: '198.51.100.9', agent: 'סוכן \u202Eresrever', count: 1, firstAt: ago(HOUR), lastAt: ago(HOUR) },
  { address: '198.51.100.9', agent: '</th><script>evil()</script>', count: 1, firstAt: ago(HOUR), lastAt: ago(HOUR) },
]

export const detail = (overview: KeyOverview, more: Partial<KeyDetail> = {}): KeyDetail => ({
  ...overview,
  useCount: 1207,
  days: someDays,
  callers,
  predecessor: null,
  successors: [],
  ...more,
})

const successor = key('Nw0001', 'Supplier sync', { createdAt: ago(4 * HOUR) })

export const keyModel: KeyPageModel = {
  chrome,
  key: detail(liveKey),
  permissions: permissionWords(resources),
  quota: {
    quota: { limit: 600, windowSeconds: 60 },
    isCustom: false,
    window: { used: 37, resetsAt: Date.parse(NOW) + 23_000 },
  },
  entries: [
    {
      at: ago(2 * DAY),
      actor: 'stock-agent/1.4 at 203.0.113.7',
      action: 'key.refused.over_quota',
      subject: liveKey.id,
      label: liveKey.label,
      detail: { label: liveKey.label, count: 3, firstAt: ago(2 * DAY) },
    },
    {
      at: liveKey.createdAt,
      actor: 'priya@northwind.example',
      action: 'key.created',
      subject: liveKey.id,
      label: liveKey.label,
      detail: { label: liveKey.label },
    },
  ],
  exampleUrl: 'https://vitrine.northwind.example/tasks',
  notice: null,
}

const pageOf = (shown: KeyDetail, more: Partial<KeyPageModel> = {}) => keyPage({ ...keyModel, key: shown, ...more })
const never = { useCount: 0, days: quietDays, callers: [], lastUsedAt: null }

export const editModel: EditKeyModel = {
  chrome,
  id: liveKey.id,
  key: { label: liveKey.label, quota: null, expiresAt: '2027-01-05T00:00:00.000Z' },
  values: { label: liveKey.label, expiry: 'custom', expiryDate: '2027-01-04', rateLimit: '', rateWindow: '60' },
  errors: {},
  defaultQuota: { limit: 600, windowSeconds: 60 },
  changedSince: null,
  today: '2026-11-15',
}

/** Every state of the page of a key, and of the forms that change one. */
export const sampleKeyPages: Record<string, () => string> = {
  key: () => pageOf(detail(liveKey)),
  'key-busy': () =>
    pageOf(
      detail(
        key('b71ZsE', 'Warehouse dashboard', { quota: { limit: 120, windowSeconds: 60 }, permissions: ['tasks:read'] }),
        { days: busyDays, useCount: 1_304_211 },
      ),
      {
        quota: {
          quota: { limit: 120, windowSeconds: 60 },
          isCustom: true,
          window: { used: 131, resetsAt: Date.parse(NOW) + 41_000 },
        },
      },
    ),
  'key-paused': () => {
    const paused = { state: { kind: 'paused', at: ago(DAY) }, pausedAt: ago(DAY) } as const
    return pageOf(detail({ ...liveKey, ...paused }), {
      notice: { tone: 'good', text: 'The key is paused: every request with it is refused, from the next one on.' },
    })
  },
  'key-rotating': () => {
    const state = {
      kind: 'rotating',
      until: ahead(20 * HOUR),
      stillUsed: true,
      successor: { id: successor.id, label: successor.label, works: true },
    } as const
    return pageOf(
      detail(key('0RtYp9', 'Supplier sync', { state, retiresAt: state.until, attention: ['rotation_unfinished'] }), {
        successors: [successor],
      }),
    )
  },
  'key-stranded': () => {
    const revoked = { ...successor, state: { kind: 'revoked', at: ago(HOUR) } } as const
    const state = {
      kind: 'rotating',
      until: ahead(20 * HOUR),
      stillUsed: true,
      successor: { id: successor.id, label: successor.label, works: false },
    } as const
    return pageOf(
      detail(key('0RtYp9', 'Supplier sync', { state, retiresAt: state.until, attention: ['rotation_unfinished'] }), {
        successors: [revoked],
      }),
    )
  },
  'key-successor': () => {
    const old = key('0RtYp9', 'Supplier sync', { state: { kind: 'revoked', at: ago(HOUR) } })
    return pageOf(detail({ ...successor, replaces: old.id }, { predecessor: old }))
  },
  'key-expiring': () =>
    pageOf(
      detail(
        key('b71ZsE', 'Warehouse dashboard', {
          expiresAt: ahead(7 * DAY),
          state: { kind: 'expiring' },
          attention: ['expiring'],
        }),
      ),
    ),
  'key-expired': () =>
    pageOf(
      detail(key('Zz9aB1', 'Trial', { expiresAt: ago(30 * DAY), state: { kind: 'expired' } }), { days: quietDays }),
    ),
  'key-revoked': () =>
    pageOf(
      detail(key('Yd6uH8', 'Old importer', { expiresAt: null, state: { kind: 'revoked', at: ago(10 * DAY) } }), {
        successors: [successor],
      }),
    ),
  'key-never-used': () =>
    pageOf(
      detail(
        key('Zz9aB1', 'Trial', { lastUsedAt: null, attention: ['unused', 'never_expires'], expiresAt: null }),
        never,
      ),
      { quota: { ...keyModel.quota, window: undefined } },
    ),
  'key-leaked': () =>
    pageOf(
      detail(
        key('kV4cN2', 'Planning sheet', {
          warnings: [
            { seen: 'url', at: ago(3 * DAY) },
            { seen: 'browser', at: ago(DAY) },
          ],
          attention: ['leaked'],
        }),
      ),
    ),
  'key-right-to-left': () =>
    pageOf(detail(key('kV4cN2', 'דוח לילי 🧾 לספקים'.padEnd(100, 'א')), { callers: hostileCallers })),
  'key-edit': () => editKeyPage(editModel),
  'key-edit-errors': () =>
    editKeyPage({
      ...editModel,
      values: { label: '', expiry: 'custom', expiryDate: '2020-01-01', rateLimit: 'many', rateWindow: '60' },
      errors: {
        label: 'Give the key a name.',
        expiryDate: 'Choose today or a later date.',
        rateLimit: 'Use whole numbers.',
      },
    }),
  'key-edit-conflict': () =>
    editKeyPage({
      ...editModel,
      values: { ...editModel.values, label: 'Nightly report, new' },
      changedSince: { label: 'Report', quota: { limit: 10, windowSeconds: 60 }, expiresAt: null },
    }),
  'key-pause': () => pauseKeyPage({ chrome, key: liveKey }),
}
