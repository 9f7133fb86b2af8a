import { formatCount } from '../../lib/format-count.ts'
import { type Html, html } from '../../lib/html.ts'
import { type Clock, dateText } from '../layout/time.ts'

const DAY_MS = 86_400_000
const HEIGHT = 24
const STEP = 6

/** Use per day as small bars, the oldest first, drawn as one line. The title says in words what they show. */
export function useChart(dailyUse: readonly number[], clock: Clock): Html {
  const most = Math.max(1, ...dailyUse)
  const dayOf = (index: number) => dateText(Date.parse(clock.now) - (dailyUse.length - 1 - index) * DAY_MS, clock)
  const bars = dailyUse.map((uses, index) =>
    uses === 0 ? '' : `M${index * STEP + 2} ${HEIGHT}v-${Math.max(2, Math.round((uses / most) * HEIGHT))}`,
  )
  const width = dailyUse.length * STEP - 2
  return html`<svg class="chart" role="img" viewBox="0 0 ${width} ${HEIGHT}"><title>${useText(dailyUse, dayOf)}</title><path d="${bars.join('')}"/></svg>`
}

export const totalUse = (dailyUse: readonly number[]): number => dailyUse.reduce((sum, uses) => sum + uses, 0)

export const requests = (uses: number): string => (uses === 1 ? '1 request' : `${formatCount(uses)} requests`)

function useText(dailyUse: readonly number[], dayOf: (index: number) => string): string {
  const total = totalUse(dailyUse)
  if (total === 0) return `No requests in the last ${dailyUse.length} days`
  const most = Math.max(...dailyUse)
  return `${requests(total)} in the last ${dailyUse.length} days, most on ${dayOf(dailyUse.indexOf(most))}: ${formatCount(most)}`
}
