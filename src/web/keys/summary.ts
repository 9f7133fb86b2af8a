import { typedEntries } from '../../keys/only.ts'
import { listsOf } from '../../lists/definition.ts'
import type { RequestContext } from '../context.ts'
import { type Html, html, type Part } from '../html.ts'
import { factsList } from '../layout/page.ts'
import { readLists, rowCountText } from '../workspace/sources.ts'
import { type KeyFormModel, type KeyValues, newKeyPeriods } from './key-form.ts'
import { quotaText } from './key-parts.ts'
import { onlyInWords } from './row-values.ts'

export interface SummaryModel extends Pick<KeyFormModel, 'permissions' | 'defaultQuota' | 'values'> {
  /** Of the lists; empty while no workspace is chosen. */
  rowCounts: RowCounts
}

/** By permission, such as "1,842 rows". */
type RowCounts = Readonly<Record<string, string>>

export async function readRowCounts(
  { store, resources }: Pick<RequestContext, 'store' | 'resources'>,
  workspaceId: string,
  nowMs: number,
): Promise<RowCounts> {
  const shown = await store.read((tx) => readLists(tx, listsOf(resources), workspaceId, nowMs))
  return Object.fromEntries(shown.map((list) => [`${list.name}:read`, rowCountText(list)]))
}

/** Beside the form, or above its buttons. The script keeps it up to date while the form is filled in. */
export function summaryPart({ permissions, defaultQuota, rowCounts, values }: SummaryModel): Html {
  const { expiry, expiryDate, rateLimit, rateWindow, only, networks } = values
  const period = newKeyPeriods.find(({ value }) => value === expiry)
  const rowCountOf = (name: string) => rowCounts[name] ?? ''
  const limited = typedEntries(only).map(({ list }) => list)
  const standard = quotaText(defaultQuota)
  const fact = (name: Part, field: keyof KeyValues, shown: Part, attributes: Part = null) =>
    [name, html`<span data-for="${field}"${attributes}>${shown}</span>`] as const
  return html`<aside class="panel part summary" aria-labelledby="summary" data-summary><h2 id="summary">What it will see</h2>
<ul>${permissions.map(({ name, thing, list }) => html`<li data-for="${name}"${!values.permissions.includes(name) && html` hidden`}>${thing}${rowCountOf(name) !== '' && html`: <span data-limited="${list}."${!limited.includes(list) && html` hidden`}>only those chosen, of </span>${rowCountOf(name)}`}</li>`)}</ul>
${factsList([
  fact(
    'Until',
    'expiry',
    expiry === 'never' ? 'Never' : period === undefined ? expiryDate || '—' : `In ${period.text}`,
  ),
  fact(
    'At most',
    'rateLimit',
    rateLimit === '' ? standard : `${rateLimit} requests in ${rateWindow} seconds`,
    html` data-standard="${standard}"`,
  ),
  fact('Rows', 'only', onlyInWords(only) || 'All'),
  fact('From', 'networks', networks || 'Everywhere'),
])}
<p class="hint">It can change nothing.</p><noscript><p class="hint">Without JavaScript, this shows the form as it was opened.</p></noscript></aside>`
}
