import { type Html, html, named, type Part } from '../../lib/html.ts'
import type { OtherWriter } from '../../resources/workspace/other-writers.ts'
import { factsList } from '../layout/facts.ts'
import { icon } from '../layout/icon.ts'
import { type Chrome, csrfField, heading, type Notice, noticeBox, page } from '../layout/layout.ts'
import { momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { countryText, currencyText } from './choices.ts'
import { type DetailsFormModel, detailsForm } from './details-form.ts'
import { type ShownSource, sourcesTable } from './sources-table.ts'

/** GET …/workspace, and the answer to a POST that was not accepted: 422 with errors, 409 with a conflict. */
export interface WorkspaceModel extends DetailsFormModel {
  /** Those to ask. */
  owners: string[]
  /** Null for a member, who does not see them. */
  sources: ShownSource[] | null
  writers: OtherWriter[]
  mayEdit: boolean
  notice: Notice | null
}

export function workspacePage(model: WorkspaceModel): string {
  const { chrome, record, sources, notice, mayEdit } = model
  const isArchived = record.archivedAt !== null
  const body = [
    heading({
      title: 'Workspace',
      lead: 'What it is called, how dates and money in it are meant, and where its data comes from.',
    }),
    noticeBox(notice),
    isArchived && archivedPanel(model),
    mayEdit ? detailsForm(model) : details(model),
    !isArchived && sources !== null && sourcesSection(model, sources),
    !isArchived && chrome.role === 'owner' && archiveSection(chrome),
  ]
  return page(chrome, { title: 'Workspace', section: 'workspace', body })
}

function archivedPanel({ chrome, record, owners }: WorkspaceModel): Html {
  const { slug } = chrome.workspace
  const restore =
    chrome.role === 'owner'
      ? html`<form method="post" action="${paths.restore(slug)}">${csrfField(chrome)}<button class="button primary">Restore workspace</button></form>`
      : html`<p>Only an owner can restore it. ${askOwners(owners)}</p>`
  return html`<section class="panel prose archived" aria-labelledby="archived"><h2 id="archived">This workspace is archived</h2>
<p>Since ${momentTime(record.archivedAt ?? '', chrome)} its keys find nothing: <code>/workspace</code> answers 404 and <code>/tasks</code> is empty. Nothing was deleted, and its keys stay as they are.</p>
${restore}</section>`
}

const askOwners = (owners: readonly string[]): Part =>
  owners.length === 0
    ? 'It has none: ask the operator of this service.'
    : html`Ask ${owners.map((email, index) => html`${index > 0 && ' or '}${named(email)}`)}.`

/** For whoever cannot change it. */
function details({ chrome, record, owners, writers }: WorkspaceModel): Html {
  const shown = (value: string | null) => (value === null ? html`<span class="faint">None</span>` : named(value))
  const facts = factsList([
    ['Name', named(record.name)],
    ['Slug', named(record.slug)],
    ['Timezone', shown(record.timezone)],
    ['Currency', shown(currencyText(record.currencyCode))],
    ['Country', shown(countryText(record.countryCode))],
  ])
  const program = writers.find(({ table }) => table === null)?.program
  const why =
    program !== undefined
      ? html`<p class="hint">The program ${named(program)} writes this workspace: change it there.</p>`
      : chrome.role === 'member' && html`<p class="hint">Owners and admins can change this. ${askOwners(owners)}</p>`
  return html`<section class="panel prose" aria-labelledby="general"><h2 id="general">General</h2>
${facts}${why}</section>`
}

function sourcesSection({ chrome, writers }: WorkspaceModel, sources: readonly ShownSource[]): Html {
  const others = writers.filter(({ table }) => table !== null)
  return html`<section id="sources" aria-labelledby="sources-title"><div class="section-head"><h2 id="sources-title">Sources</h2>
<p class="hint">Where the data that keys can read comes from, and when it was last brought in.</p></div>
${others.map(({ table, program }) => html`<p class="notice">${icon('info')}<span>The program ${named(program)} shows ${table} from its own tables here: they change when it changes them, without a sync.</span></p>`)}
${sourcesTable(sources, chrome, others.length > 0)}</section>`
}

const archiveSection = ({ workspace }: Chrome): Html =>
  html`<section class="panel prose" aria-labelledby="archive-title"><h2 id="archive-title">Archive</h2>
<p>An archived workspace can be read by none of its keys. Nothing is deleted, and an owner can restore it.</p>
<p><a class="button" href="${paths.archive(workspace.slug)}">Archive this workspace</a></p></section>`
