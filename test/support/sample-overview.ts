import { totalUse } from '../../src/web/keys/use-charts.ts'
import type { OverviewModel } from '../../src/web/overview/overview.ts'
import { ago, frameIn, keys, workspaceModel } from './sample-models.ts'

const DAY = 86_400_000

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
  urgent: keys.flatMap((key) => key.attention.map((kind) => ({ kind, key }))),
  lists: [
    { name: 'tasks', singular: 'task', rowCount: 1842, ...stored, sources: workspaceModel.sources ?? [] },
    { name: 'orders', singular: 'order', rowCount: 312, isInPlace: true, fault: null, sources: [] },
  ],
}

export const emptyOverviewModel: OverviewModel = {
  ...overviewModel,
  days: days.map(({ day }) => ({ day, served: 0, refused: {} })),
  busiest: [],
  urgent: [],
  hasKeys: false,
  lists: [{ name: 'tasks', singular: 'task', rowCount: 0, ...stored, sources: [] }],
}
