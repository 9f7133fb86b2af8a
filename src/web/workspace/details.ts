import type { Transaction } from '../../database/store.ts'
import { tablesOf } from '../../database/table.ts'
import { UserError } from '../../lib/user-error.ts'
import { membersOf } from '../../members/records.ts'
import { actorOf, isManager } from '../../members/roles.ts'
import { type OtherWriter, otherWriters } from '../../workspaces/other-writers.ts'
import { type WorkspaceRecord, workspaceOrThrow } from '../../workspaces/records.ts'
import { checkedUpdate, updateWorkspace } from '../../workspaces/workspaces.ts'
import { changeAs, type WorkspaceContext, type WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { ReopenForm } from '../form.ts'
import { type Html, html, isolated, joined, type Part } from '../html.ts'
import { isOutdated } from '../layout/conflict.ts'
import { csrfField } from '../layout/field.ts'
import { factsList, noticeLine, type PageFrame, page } from '../layout/page.ts'
import { momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse, PageError } from '../responses.ts'
import { countryText, currencyText, type DetailsFormModel, detailsForm, readDetails, valuesOf } from './details-form.ts'
import { readSources, type ShownSource, sourcesTable } from './sources.ts'

export const showWorkspace: WorkspaceHandler = async (context) => {
  const { store, frame, workspace, draft } = context
  const read = await store.read((tx) => readPage(context, tx, draft))
  const { record } = read
  const isConflict = draft !== undefined && isOutdated(draft, valuesOf(record))
  const isWrittenElsewhere = read.writers.some(({ table }) => table === null)
  const mayEdit = isManager(workspace) && record.archivedAt === null && !isWrittenElsewhere
  return htmlResponse(200, workspacePage({ frame, ...read, isConflict, mayEdit }))
}

export const submitWorkspace: WorkspaceHandler = async (context, form) => {
  const { session, workspace } = context
  const save = async (tx: Transaction) => {
    const current = await workspaceOrThrow(tx, workspace.slug)
    if ((await otherWriters(tx, [], current.id)).length > 0)
      throw new PageError(403, 'Another program manages this workspace', 'Change its name and its defaults there.')
    const { errors, update: wanted } = await readDetails(tx, form, current)
    if (Object.keys(errors).length > 0) throw new ReopenForm()
    const changes = Object.entries(checkedUpdate(wanted)) as [keyof WorkspaceRecord, string | null][]
    if (changes.every(([field, value]) => current[field] === value)) return
    if (isOutdated(form, valuesOf(current))) throw new ReopenForm()
    await updateWorkspace(tx, workspace.slug, wanted, actorOf(session))
  }
  try {
    await changeAs(context, 'manager', save)
  } catch (error) {
    // Another replica changed it between the read and the write; a second attempt sees the change.
    if (!(error instanceof UserError)) throw error
    await changeAs(context, 'manager', save)
  }
  return redirectWithNotice(context, paths.workspace(workspace.slug), 'workspace-saved')
}

async function readPage(context: WorkspaceContext, tx: Transaction, draft: URLSearchParams | undefined) {
  const { workspace, resources, frame } = context
  const { workspaceId, slug } = workspace
  const record = await workspaceOrThrow(tx, slug)
  const members = await membersOf(tx, workspaceId)
  const tables = tablesOf(resources)
  const filled = draft === undefined ? { values: valuesOf(record), errors: {} } : await readDetails(tx, draft, record)
  return {
    record,
    ...filled,
    owners: members.filter(({ role }) => role === 'owner').map(({ email }) => email),
    sources: isManager(workspace) ? await readSources(tx, tables, workspaceId, frame.nowMs) : null,
    writers: await otherWriters(tx, tables, workspaceId),
  }
}

export interface WorkspaceModel extends DetailsFormModel {
  owners: string[]
  /** Null for a member, who may not see them. */
  sources: ShownSource[] | null
  writers: OtherWriter[]
  mayEdit: boolean
}

export function workspacePage(model: WorkspaceModel): string {
  const { frame, record, sources, mayEdit } = model
  const isArchived = record.archivedAt !== null
  const body = [
    isArchived && archivedPanel(model),
    mayEdit ? detailsForm(model) : details(model),
    !isArchived && sources !== null && sourcesSection(model, sources),
    !isArchived && frame.role === 'owner' && archiveSection(frame),
  ]
  const lead = 'Its name, what its dates and amounts refer to, and where its data comes from.'
  return page(frame, { title: 'Workspace', lead, body })
}

function archivedPanel({ frame, record, owners }: WorkspaceModel): Html {
  const { slug } = frame.workspace
  const restore =
    frame.role === 'owner'
      ? html`<form method="post" action="${paths.restore(slug)}">${csrfField(frame)}<button class="button primary">Restore workspace</button></form>`
      : html`<p>Only an owner can restore it. ${askOwners(owners)}</p>`
  return html`<section class="panel prose archived" aria-labelledby="archived"><h2 id="archived">This workspace is archived</h2>
<p>Since ${momentTime(record.archivedAt ?? '', frame)}, its keys find nothing: <code>/workspace</code> returns 404 and lists such as <code>/tasks</code> are empty. Nothing was deleted, and its keys were not changed.</p>
${restore}</section>`
}

const askOwners = (owners: readonly string[]): Part =>
  owners.length === 0
    ? 'It has no owner: ask the operator of this service.'
    : html`Ask ${joined(owners.map(isolated), ' or ')}.`

function details({ frame, record, owners, writers }: WorkspaceModel): Html {
  const shown = (value: string | null) => (value === null ? html`<span class="faint">None</span>` : isolated(value))
  const facts = factsList([
    ['Name', isolated(record.name)],
    ['Slug', isolated(record.slug)],
    ['Timezone', shown(record.timezone)],
    ['Currency', shown(currencyText(record.currencyCode))],
    ['Country', shown(countryText(record.countryCode))],
  ])
  const program = writers.find(({ table }) => table === null)?.program
  const why =
    program !== undefined
      ? html`<p class="hint">The program ${isolated(program)} manages this workspace: change it there.</p>`
      : frame.role === 'member' && html`<p class="hint">Owners and admins can change this. ${askOwners(owners)}</p>`
  return html`<section class="panel prose" aria-labelledby="general"><h2 id="general">General</h2>
${facts}${why}</section>`
}

function sourcesSection({ frame, writers }: WorkspaceModel, sources: readonly ShownSource[]): Html {
  const others = writers.filter(({ table }) => table !== null)
  return html`<section id="sources" aria-labelledby="sources-title"><div class="section-head"><h2 id="sources-title">Sources</h2>
<p class="hint">Where the data that keys can read comes from, and when it was last updated.</p></div>
${others.map(({ table, program }) => noticeLine('neutral', html`The program ${isolated(program)} shows ${table} from its own tables here: they change when it changes them, without a sync.`))}
${sourcesTable(sources, frame, others.length > 0)}</section>`
}

const archiveSection = ({ workspace }: PageFrame): Html =>
  html`<section class="panel prose" aria-labelledby="archive-title"><h2 id="archive-title">Archive</h2>
<p>While archived, no key can read it. Nothing is deleted, and an owner can restore it.</p>
<p><a class="button" href="${paths.archive(workspace.slug)}">Archive this workspace</a></p></section>`
