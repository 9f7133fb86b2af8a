import type { Quota, QuotaWindow } from '../../database/store.ts'
import { isOver, secondsToReset } from '../../keys/quota.ts'
import { formatCount } from '../../lib/format-count.ts'
import { type Html, html } from '../../lib/html.ts'
import { quotaText } from './key-parts.ts'

export interface QuotaModel {
  quota: Quota
  /** Whether the key has a limit of its own. */
  isCustom: boolean
  /** What is used of it now; undefined if nothing is, null if the key is refused whatever its quota. */
  window: QuotaWindow | undefined | null
}

export function quotaSection({ quota, isCustom, window }: QuotaModel, nowMs: number): Html {
  return html`<section class="panel part" aria-labelledby="quota"><h2 id="quota">Rate limit</h2>
<p><strong>${quotaText(quota)}</strong>${isCustom ? '' : ', the default of this service'}</p>
${window !== null && (window === undefined || window.resetsAt <= nowMs ? html`<p class="hint">None used at the moment.</p>` : useNow(quota, window, nowMs))}</section>`
}

function useNow(quota: Quota, window: QuotaWindow, nowMs: number): Html {
  // Refused requests are counted too; by how much they are over the limit helps nobody.
  const used = Math.min(window.used, quota.limit)
  const seconds = secondsToReset(quota, window, nowMs)
  const reset = seconds === 1 ? 'a second' : `${formatCount(seconds)} seconds`
  return html`<meter min="0" max="${quota.limit}" high="${Math.floor(quota.limit * 0.9)}" value="${used}" aria-labelledby="quota-use"></meter>
<p id="quota-use">${formatCount(used)} of ${formatCount(quota.limit)} used now. The count starts anew in ${reset}.${isOver(quota, window) && html` <strong>Until then, requests are refused.</strong>`}</p>`
}
