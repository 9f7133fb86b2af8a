import { type Html, html } from '../../lib/html.ts'
import { type Clock, dateText } from '../layout/time.ts'

const DAY_MS = 86_400_000
const HEIGHT = 24
const BAR = 4
const STEP = 6

const count = new Intl.NumberFormat('en')

/** Use per day as small bars, the oldest first. The label says in words what the bars show. */
export function useChart(dailyUse: readonly number[], clock: Clock): Html {
  const most = Math.max(1, ...dailyUse)
  const dayOf = (index: number) => dateText(Date.parse(clock.now) - (dailyUse.length - 1 - index) * DAY_MS, clock)
  const bars = dailyUse.map((uses, index) => {
    const height = uses === 0 ? 2 : Math.max(3, Math.round((uses / most) * HEIGHT))
    const kind = uses === 0 ? 'bar none' : 'bar'
    return html`<rect class="${kind}" x="${index * STEP}" y="${HEIGHT - height}" width="${BAR}" height="${height}" rx="1"><title>${dayOf(index)}: ${count.format(uses)}</title></rect>`
  })
  const width = dailyUse.length * STEP - (STEP - BAR)
  return html`<svg class="chart" role="img" aria-label="${useText(dailyUse, dayOf)}" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}">${bars}</svg>`
}

export const totalUse = (dailyUse: readonly number[]): number => dailyUse.reduce((sum, uses) => sum + uses, 0)

export const requests = (uses: number): string => (uses === 1 ? '1 request' : `${count.format(uses)} requests`)

function useText(dailyUse: readonly number[], dayOf: (index: number) => string): string {
  const total = totalUse(dailyUse)
  if (total === 0) return `No requests in the last ${dailyUse.length} days`
  const most = Math.max(...dailyUse)
  return `${requests(total)} in the last ${dailyUse.length} days, most on ${dayOf(dailyUse.indexOf(most))}: ${count.format(most)}`
}
