import { listsOf } from '../../lists/definition.ts'
import type { RequestContext } from '../context.ts'
import { type Html, html } from '../html.ts'
import { factsList } from '../layout/page.ts'
import { readLists, rowCountText } from '../workspace/sources.ts'
import type { KeyFormModel } from './key-form.ts'
import { quotaText } from './key-parts.ts'

export interface SummaryModel extends Pick<KeyFormModel, 'permissions' | 'defaultQuota'> {
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

/** Beside the form. Only the script shows it, and keeps it up to date while the form is filled in. */
export const summaryPart = ({ permissions, defaultQuota, rowCounts }: SummaryModel): Html =>
  html`<aside class="panel part summary" aria-labelledby="summary" data-summary hidden><h2 id="summary">What it will see</h2>
<ul>${permissions.map(({ name, meaning }) => html`<li data-for="${name}">${meaning}${rowCounts[name] !== undefined && html`<span class="sub">${rowCounts[name]} now</span>`}</li>`)}</ul>
${factsList([
  ['Until', html`<span data-for="expiry"></span>`],
  ['At most', html`<span data-for="rateLimit">${quotaText(defaultQuota)}</span>`],
  ['Rows', html`<span data-for="only">All</span>`],
  ['From', html`<span data-for="networks">Everywhere</span>`],
])}
<p class="hint">It can change nothing.</p></aside>`
