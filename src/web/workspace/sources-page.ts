import type { SourceState } from '../../import/source-state.ts'
import type { Source } from '../../import/sources.ts'
import { type Html, html, named } from '../../lib/html.ts'
import { type Chrome, heading, page } from '../layout/layout.ts'
import { type Clock, intervalText, momentTime, relativeTime } from '../layout/time.ts'

/** GET /settings/workspaces/<slug>/sources, for an owner or an admin. */
export interface SourcesModel {
  chrome: Chrome
  sources: ShownSource[]
}

export type ShownSource = Source & { state: Exclude<SourceState, 'abandoned'> }

export function sourcesPage({ chrome, sources }: SourcesModel): string {
  const body = [
    heading({
      title: 'Sources',
      lead: 'Where the data that keys can read comes from, and when it was last brought in.',
    }),
    sources.length === 0 ? nothing : html`<div class="panel">${table(sources, chrome)}</div>`,
  ]
  return page(chrome, { title: 'Sources', section: 'workspace', body })
}

const nothing = html`<section class="panel empty"><h2>No sources yet</h2>
<p>A source is a tracker, a sheet or an export that the operator of this service syncs into the workspace. Data that was
imported, or that another program writes, has no source.</p></section>`

const head = ['Source', 'Content', 'Last synced', 'Repeated', 'State']

/** Roles as in the list of keys. */
function table(sources: readonly ShownSource[], clock: Clock): Html {
  return html`<table class="sources" role="table"><caption class="visually-hidden">Sources</caption>
<thead role="rowgroup"><tr role="row">${head.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
${sources.map((source) => sourceGroup(source, clock))}</table>`
}

function sourceGroup(source: ShownSource, clock: Clock): Html {
  const { name, location, tableName, rowCount, syncedAt, everySeconds, state } = source
  const cell = (title: string, content: Html) => html`<td role="cell" data-name="${title}">${content}</td>`
  const note = noteOn(source, clock)
  return html`<tbody role="rowgroup"><tr role="row">
<th role="rowheader" scope="row"><span class="label">${named(name)}</span>${location !== null && html`<span class="sub">${named(location)}</span>`}</th>
${cell('Content', html`${rowCount === null ? '' : `${rowCount.toLocaleString('en')} `}${tableName}`)}
${cell('Last synced', syncedAt === null ? html`<span class="faint">Never</span>` : relativeTime(syncedAt, clock))}
${cell('Repeated', everySeconds === null ? html`<span class="faint">No</span>` : html`every ${intervalText(everySeconds)}`)}
${cell('State', html`<span class="pill ${state}"><span class="dot" aria-hidden="true"></span>${stateText[state]}</span>`)}</tr>
${note !== null && html`<tr role="row" class="notes"><td role="cell" colspan="${head.length}">${note}</td></tr>`}</tbody>
`
}

const stateText: Record<ShownSource['state'], string> = { synced: 'Synced', failing: 'Failing', overdue: 'Overdue' }

/** What is wrong, in a sentence under the row. The data stays as it was at the last success. */
function noteOn({ state, failingSince, failure, attemptedAt }: ShownSource, clock: Clock): Html | null {
  if (state === 'failing' && failingSince !== null)
    return html`<p class="note bad"><strong>Failing since ${momentTime(failingSince, clock)}.</strong> ${named(failure ?? '')}</p>`
  if (state === 'overdue' && attemptedAt !== null)
    return html`<p class="note warn"><strong>Not tried since ${momentTime(attemptedAt, clock)}.</strong> The program that repeats the sync has stopped: ask the operator of this service.</p>`
  return null
}
