import type { KeyDetail } from '../../keys/detail.ts'
import { formatCount } from '../../lib/format-count.ts'
import { type Html, html, named } from '../../lib/html.ts'
import { clip } from '../../lib/plain-text.ts'
import { dataTable } from '../layout/table.ts'
import { type Clock, relativeTime } from '../layout/time.ts'

/** Whoever calls chooses the name. The database keeps less of it, but may have rows from elsewhere. */
const AGENT_SHOWN = 80

/** Who uses the key: an address and a User-Agent, which may be any text. */
export function callersSection({ callers }: Pick<KeyDetail, 'callers'>, clock: Clock): Html {
  const rows = callers.map(({ address, agent, count, firstAt, lastAt }) => ({
    head: agent ? named(clip(agent, AGENT_SHOWN)) : html`<span class="faint">No User-Agent</span>`,
    cells: [
      address ? html`<code>${address}</code>` : html`<span class="faint">Unknown</span>`,
      formatCount(count),
      relativeTime(firstAt, clock),
      relativeTime(lastAt, clock),
    ],
  }))
  const columns = ['Caller', 'Address', 'Requests', 'First seen', 'Last seen']
  return html`<section class="panel part" aria-labelledby="callers"><h2 id="callers">Callers</h2>
<p class="hint">The last seen first. Callers choose their own name; an address that you do not know is a reason to rotate the key.</p>
<div>${dataTable({ caption: 'Callers, the last seen first', className: 'callers', columns, rows })}</div></section>`
}
