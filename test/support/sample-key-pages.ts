import type { KeyDay } from '../../src/keys/history.ts'
import type { KeyDetail, KeyOverview } from '../../src/keys/overview.ts'
import { hasEnded } from '../../src/keys/state.ts'
import { resources } from '../../src/resources/index.ts'
import type { ShownEntry } from '../../src/web/audit/table.ts'
import { connectPage } from '../../src/web/keys/create/connect.ts'
import { type KeyPageModel, keyPage } from '../../src/web/keys/key/details.ts'
import { type EditKeyModel, editKeyPage } from '../../src/web/keys/key/edit.ts'
import { keyHistoryPage } from '../../src/web/keys/key/history.ts'
import { cancelRotationPage, rotateKeyPage } from '../../src/web/keys/life-cycle/rotate.ts'
import { pauseKeyPage } from '../../src/web/keys/life-cycle/stop.ts'
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

const someDays = daysWith((daysAgo) => ({
  served: daysAgo % 7 > 4 ? 0 : 9 + ((daysAgo * 5) % 11),
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

export const detail = (overview: KeyOverview, more: Partial<KeyDetail> = {}): KeyDetail => ({
  ...overview,
  useCount: 1207,
  days: someDays,
  callers,
  lastOutside: null,
  predecessor: null,
  successors: [],
  successorCount: 0,
  ...more,
})

const successor = key('Nw0001', 'Supplier sync', { createdAt: ago(4 * HOUR) })
const old = key('0RtYp9', 'Supplier sync', { state: { kind: 'revoked', at: ago(HOUR) } })

const rotating = (works: boolean) => {
  const { id, label } = successor
  const state = {
    kind: 'rotating',
    until: ahead(20 * HOUR),
    stillUsed: works,
    successor: { id, label, works },
  } as const
  return key('0RtYp9', 'Supplier sync', { state, retiresAt: state.until, attention: ['rotation_unfinished'] })
}

const quiet = { days: quietDays, callers: [], lastUsedAt: ago(33 * DAY) }
const never = { ...quiet, useCount: 0, lastUsedAt: null }

/** A key in each of its states. */
export const keyDetails = {
  key: detail({ ...liveKey, replaces: old.id }, { predecessor: old }),
  'key-busy': detail(
    key('b71ZsE', 'Warehouse dashboard', { quota: { limit: 120, windowSeconds: 60 }, permissions: ['tasks:read'] }),
    { days: busyDays, useCount: 1_304_211 },
  ),
  'key-paused': detail({ ...liveKey, state: { kind: 'paused', at: ago(DAY) }, pausedAt: ago(DAY) }, quiet),
  'key-rotating': detail(rotating(true), { successors: [successor] }),
  'key-revoked': detail(
    key('Yd6uH8', 'Old importer', { expiresAt: null, state: { kind: 'revoked', at: ago(10 * DAY) }, lastUsedAt: null }),
    { ...never, successors: [successor] },
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
  'key-connected': detail(connection),
  'key-restricted': detail(
    {
      ...connection,
      networks: ['203.0.113.0/24', '2001:db8:85a3::/48'],
      only: { tasks: { bookKey: ['garden', 'home-textiles'] } },
    },
    { ...never, lastOutside: { at: ago(HOUR), from: 'python-requests/2.32 at 198.51.100.4' } },
  ),
} satisfies Record<string, KeyDetail>

export const keyModel: KeyPageModel = {
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

/** Its own quota used up, none used, refused anyway. */
const windows = new Map<string, KeyPageModel['window']>([
  ['key-busy', { used: 131, resetsAt: Date.parse(NOW) + 41_000 }],
  ['key-never-used', undefined],
  ['key-paused', null],
])

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

/** Every state of the page of a key, and of the forms that change one. */
export const sampleKeyPages: Record<string, () => string> = {
  ...Object.fromEntries(
    Object.entries(keyDetails).map(([name, shown]) => [
      name,
      () => {
        const window = hasEnded(shown) ? null : keyModel.window
        return keyPage({ ...keyModel, key: shown, window: windows.has(name) ? windows.get(name) : window })
      },
    ]),
  ),
  'key-edit-errors': () =>
    editKeyPage({
      ...editModel,
      values: {
        label: '',
        permissions: [],
        ...{
          expiry: 'custom',
          expiryDate: '2020-01-01',
          rateLimit: 'many',
          rateWindow: '60',
          networks: 'home',
          only: 'tasks.bookKey=',
        },
      },
      errors: {
        label: 'Give the key a name.',
        permissions: 'Choose at least one.',
        networks: 'The networks must be in CIDR notation.',
        only: 'Rows: tasks.bookKey has an empty value.',
        expiryDate: 'Choose today or a later date.',
        rateLimit: 'Use whole numbers.',
      },
    }),
  'key-edit-conflict': () =>
    editKeyPage({
      ...editModel,
      values: {
        ...{ label: 'Nightly report, new', permissions: ['tasks:read'], rateLimit: '10', rateWindow: '60' },
        ...{ expiry: 'never', expiryDate: '', networks: '198.51.100.0/24', only: '' },
      },
      changedMeanwhile: ['label', 'expiresAt', 'quota', 'permissions', 'networks'],
    }),
  'key-edit-seen': () => editKeyPage({ ...editModel, rowValues: sampleRowValues }),
  'key-history': () => keyHistoryPage(frame, keyDetails.key, keyEntries),
  'key-pause': () => pauseKeyPage(frame, liveKey),
  'rotate-leaked': () => rotateKeyPage(frame, keyDetails['key-leaked'], '0'),
  'cancel-rotation': () => cancelRotationPage(frame, detail(rotating(true), { successors: [liveKey] })),
  connect: () => connectPage(frame, 'https://vitrine.northwind.example/v2/mcp'),
  'connect-by-key': () => connectPage(frame, null),
}
