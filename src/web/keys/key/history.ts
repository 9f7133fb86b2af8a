import { readAudit } from '../../../audit/search.ts'
import type { KeyDetail } from '../../../keys/overview.ts'
import { grouped, groupTable, type ShownEntry } from '../../audit/table.ts'
import type { WorkspaceHandler } from '../../context.ts'
import { html } from '../../html.ts'
import type { PageFrame } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse } from '../../responses.ts'
import { readKey } from '../change.ts'
import { keyTabPage } from './tabs.ts'

const ENTRIES_SHOWN = 40

export const showKeyHistory: WorkspaceHandler = async (context) => {
  const { store, workspace, frame } = context
  const key = await readKey(context)
  const query = { workspaceId: workspace.workspaceId, subject: key.id }
  const entries = await store.read((tx) => readAudit(tx, query, { before: null, limit: ENTRIES_SHOWN }))
  const labelled = entries.map((entry) => ({ ...entry, label: key.label }))
  return htmlResponse(200, keyHistoryPage(frame, key, labelled))
}

/** The newest entry comes first. */
export function keyHistoryPage(frame: PageFrame, key: KeyDetail, entries: ShownEntry[]): string {
  const body = html`<section class="panel part" aria-labelledby="history"><h2 id="history">Changes</h2>
${entries.length === 0 ? html`<p>There are no entries yet.</p>` : html`<div>${groupTable(grouped(entries, true), frame, { ofKey: true })}</div>`}
<p><a href="${paths.audit(frame.workspace.slug, { key: key.id })}">This key’s full audit log</a> and <a href="${paths.requests(frame.workspace.slug, key.id, { outcome: 'refused' })}">refused requests</a></p></section>`
  return keyTabPage(frame, key, 'history', body)
}
