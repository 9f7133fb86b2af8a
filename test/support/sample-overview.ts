import { totalUse } from '../../src/web/keys/use-charts.ts'
import type { OverviewModel } from '../../src/web/overview/overview.ts'
import { strangeKeys } from './sample-listing.ts'
import { ago, frameIn, keys, NOW, workspaceModel } from './sample-models.ts'

const DAY = 86_400_000
const [, , expiring, rotating, leaked] = keys

/** As on the keys of the sample, which repeat every two weeks. */
const days = Array.from({ length: 30 }, (_, index) => {
  const daysAgo = 29 - index
  const sum = (daily: 'dailyUse' | 'dailyRefused') =>
    keys.reduce((total, key) => total + (key[daily][13 - (daysAgo % 14)] ?? 0), 0)
  const refused = sum('dailyRefused')
  return { day: ago(daysAgo * DAY).slice(0, 10), served: sum('dailyUse') - refused, refused: { over_quota: refused } }
})

const lastWeek = ({ dailyUse }: (typeof keys)[number]) => totalUse(dailyUse.slice(-7))

const stored = { isInPlace: false, fault: null }

export const overviewModel: OverviewModel = {
  frame: frameIn('overview'),
  period: 30,
  hasKeys: true,
  days,
  hours: [],
  busiest: keys.toSorted((a, b) => lastWeek(b) - lastWeek(a)).slice(0, 5),
  urgent: [
    ...(leaked === undefined ? [] : [{ kind: 'leaked' as const, key: leaked }]),
    ...(expiring === undefined ? [] : [{ kind: 'expiring' as const, key: expiring }]),
    ...(rotating === undefined ? [] : [{ kind: 'rotation_unfinished' as const, key: rotating }]),
  ],
  lists: [
    { name: 'tasks', singular: 'task', rowCount: 1842, ...stored, sources: workspaceModel.sources ?? [] },
    { name: 'orders', singular: 'order', rowCount: 312, isInPlace: true, fault: null, sources: [] },
  ],
  changes: [
    {
      at: ago(120_000),
      actor: 'priya@northwind.example',
      action: 'key.paused',
      subject: keys[3]?.id ?? '',
      label: 'Warehouse dashboard',
      prefix: 'vtr_Fq2k',
    },
    { at: ago(3_600_000), actor: 'cli', action: 'tasks.synced', subject: 'wsp_1', label: 'Northwind Buying' },
    {
      at: ago(DAY),
      actor: 'tom@northwind.example',
      action: 'key.created',
      subject: keys[0]?.id ?? '',
      label: 'Claude Code, Priya’s laptop',
    },
    {
      at: ago(2 * DAY),
      actor: 'priya@northwind.example',
      action: 'member.added',
      subject: 'sam@northwind.example',
      label: 'sam@northwind.example',
    },
  ],
}

/** Labels that are long, without spaces or right to left. */
export const strangeOverviewModel: OverviewModel = {
  ...overviewModel,
  busiest: strangeKeys.slice(0, 5),
  urgent: strangeKeys.slice(0, 5).map((key) => ({ kind: 'expiring', key: { ...key, expiresAt: NOW } })),
  changes: strangeKeys
    .slice(0, 5)
    .map(({ id, label, prefix }) => ({ at: NOW, actor: label, action: 'key.created', subject: id, label, prefix })),
}

const quietOverviewModel: OverviewModel = {
  ...overviewModel,
  days: days.map(({ day }) => ({ day, served: 0, refused: {} })),
  busiest: [],
  urgent: [],
}

export const unfilledOverviewModel: OverviewModel = {
  ...quietOverviewModel,
  lists: [{ name: 'tasks', singular: 'task', rowCount: 0, ...stored, sources: [] }],
}

export const emptyOverviewModel: OverviewModel = { ...unfilledOverviewModel, hasKeys: false }
