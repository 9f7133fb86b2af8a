import type { KeyDay } from '../../src/keys/history.ts'
import type { KeyDetail, KeyOverview } from '../../src/keys/overview.ts'
import { resources } from '../../src/resources/index.ts'
import type { ShownEntry } from '../../src/web/audit/table.ts'
import { connectPage } from '../../src/web/keys/create/connect.ts'
import { type KeyPageModel, keyPage } from '../../src/web/keys/key/details.ts'
import { type EditKeyModel, editKeyPage } from '../../src/web/keys/key/edit.ts'
import { keyHistoryPage } from '../../src/web/keys/key/history.ts'
import { permissionWords } from '../../src/web/keys/permissions.ts'
import { ago, ahead, connection, frame, key, liveKey, NOW } from './sample-models.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const dayAgo = (days: number) => ago(days * DAY).slice(0, 10)
const daysWith = (of: (daysAgo: number) => Omit<KeyDay, 'day'>): KeyDay[] =>
  Array.from({ length: 30 }, (_, index) => ({ day: dayAgo(29 - index), ...of(29 - index) }))

const quietDays = daysWith(() => ({ served: 0, refused: {} }))

/** Every kind of outcome, and one refusal among thousands of responses. */
const busyDays = daysWith((daysAgo) => ({
  served: [6, 7].includes(daysAgo % 7) ? 40 : 900 + ((daysAgo * 137) % 400),
  refused: {
    ...(daysAgo < 4 && { over_quota: 120 + daysAgo * 60 }),
    ...(daysAgo === 9 && { forbidden: 1 }),
    ...(daysAgo === 12 && { damaged: 260 }),
    ...(daysAgo === 15 && { browser: 90 }),
    ...([18, 19].includes(daysAgo) && { paused: 310 }),
    ...(daysAgo === 22 && { expired: 40, revoked: 75 }),
  },
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

export const detail = (overview: KeyOverview, more: Partial<KeyDetail> = {}): KeyDetail => ({
  ...overview,
  useCount: 1207,
  days: busyDays,
  callers,
  predecessor: null,
  successors: [],
  lastOutside: null,
  successorCount: 0,
  ...more,
})

const old = key('0RtYp9', 'Supplier sync', { state: { kind: 'revoked', at: ago(HOUR) } })

const quiet = { days: quietDays, callers: [], lastUsedAt: ago(33 * DAY) }
const never = { ...quiet, useCount: 0, lastUsedAt: null }

/** A key in each of its states. */
export const keyDetails = {
  key: detail({ ...liveKey, replaces: old.id }, { predecessor: old }),
  'key-busy': detail(
    key('b71ZsE', 'Warehouse dashboard', { quota: { limit: 120, windowSeconds: 60 }, permissions: ['tasks:read'] }),
    { days: busyDays, useCount: 1_304_211 },
  ),
  'key-never-used': detail(key('Zz9aB1', 'Trial', { lastUsedAt: null, attention: ['unused'], expiresAt: null }), never),
  'key-leaked': detail(
    key('kV4cN2', 'Planning sheet', {
      leak: { seen: 'browser', at: ago(DAY) },
      state: { kind: 'expiring' },
      expiresAt: ahead(7 * DAY),
      attention: ['leaked', 'expiring'],
    }),
    quiet,
  ),
  'key-restricted': detail(
    {
      ...connection,
      networks: ['203.0.113.0/24', '2001:db8:85a3::/48'],
      only: { tasks: { bookKey: ['garden', 'home-textiles'] } },
    },
    never,
  ),
} satisfies Record<string, KeyDetail>

const keyModel: KeyPageModel = {
  frame,
  key: keyDetails.key,
  permissions: permissionWords(resources),
  defaultQuota: { limit: 600, windowSeconds: 60 },
  window: { used: 37, resetsAt: Date.parse(NOW) + 23_000 },
  exampleUrl: 'https://vitrine.northwind.example/tasks',
  period: 30,
}

const keyEntries: ShownEntry[] = [
  {
    at: liveKey.createdAt,
    actor: 'priya@northwind.example',
    action: 'key.created',
    subject: liveKey.id,
    label: liveKey.label,
    detail: { label: liveKey.label },
  },
]

const liveValues: EditKeyModel['values'] = {
  label: liveKey.label,
  permissions: liveKey.permissions,
  ...{ expiry: 'custom', expiryDate: '2027-01-04', rateLimit: '', rateWindow: '60' },
  networks: '203.0.113.0/24',
  only: '',
}

const valuesOf = (field: string, ...values: string[]) => ({
  what: `Only ${field.replace('.', ' with this ')}`,
  values: values.map((shown) => ({ shown, typed: `${field}=${shown}` })),
})
const sampleRowValues = [
  valuesOf('tasks.bookKey', 'home-textiles', 'garden', 'a book whose key is as long as they come on this page, '),
  valuesOf('tasks.assigneeEmail', 'ana@northwind.example', 'bo@northwind.example'),
]

const editModel: EditKeyModel = {
  frame,
  key: liveKey,
  current: liveValues,
  permissions: permissionWords(resources),
  values: liveValues,
  errors: {},
  defaultQuota: { limit: 600, windowSeconds: 60 },
  changedMeanwhile: [],
  rowCounts: { 'tasks:read': '1,842 rows' },
}

/** The pages of a key, and the forms that change one. */
export const sampleKeyPages: Record<string, () => string> = {
  ...Object.fromEntries(Object.entries(keyDetails).map(([name, key]) => [name, () => keyPage({ ...keyModel, key })])),
  'key-edit-seen': () => editKeyPage({ ...editModel, rowValues: sampleRowValues }),
  'key-history': () => keyHistoryPage(frame, keyDetails.key, keyEntries),
  connect: () => connectPage(frame, 'https://vitrine.northwind.example/v2/mcp'),
}
