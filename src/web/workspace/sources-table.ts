import type { SourceState } from '../../import/source-state.ts'
import type { Source } from '../../import/sources.ts'
import { breakable, type Html, html, named, type Part } from '../../lib/html.ts'
import { type Clock, intervalText, momentTime, relativeTime } from '../layout/time.ts'

export type ShownSource = Source & { state: Exclude<SourceState, 'abandoned'> }

/** Without sources, an explanation; unless the data is `writtenElsewhere`, which the page says by itself. */
export const sourcesTable = (sources: readonly ShownSource[], clock: Clock, writtenElsewhere: boolean): Part =>
  sources.length === 0 ? !writtenElsewhere && nothing : html`<div class="panel">${table(sources, clock)}</div>`

const nothing = html`<div class="panel empty"><h3>No sources yet</h3>
<p>A source is a tracker, a sheet or an export that the operator of this service syncs into the workspace. Data that was
imported, or that another program writes, has no source.</p></div>`

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
<th role="rowheader" scope="row"><span class="label">${named(name)}</span>${location !== null && html`<span class="sub">${breakable(location)}</span>`}</th>
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
    return html`<p class="note bad"><strong>Failing since ${momentTime(failingSince, clock)}.</strong> ${breakable(failure ?? '')}</p>`
  if (state === 'overdue' && attemptedAt !== null)
    return html`<p class="note warn"><strong>Not tried since ${momentTime(attemptedAt, clock)}.</strong> The program that repeats the sync has stopped: ask the operator of this service.</p>`
  return null
}
