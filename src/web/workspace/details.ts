import type { Transaction } from '../../database/store.ts'
import { clip, sentence } from '../../lib/plain-text.ts'
import { redactName, redactTokens } from '../../lib/redact.ts'
import { InvalidValueError, UserError } from '../../lib/user-error.ts'
import { listsOf } from '../../lists/definition.ts'
import { membersOf } from '../../members/records.ts'
import { actorOf, isManager } from '../../members/roles.ts'
import { countryCodes, currencyCodes } from '../../workspaces/iso-codes.ts'
import { type WorkspaceRecord, workspaceOrThrow } from '../../workspaces/records.ts'
import { checkedUpdate, NAME_MAX, updateWorkspace, type WorkspaceUpdate } from '../../workspaces/workspaces.ts'
import { changeAs, type WorkspaceContext, type WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { ReopenForm } from '../form.ts'
import { type Html, html, isolated, joined, type Part } from '../html.ts'
import { changedMeanwhile, conflictNotice, versionField } from '../layout/conflict.ts'
import { csrfField, describe, errorSummary, maxCharacters, options } from '../layout/field.ts'
import { factsList, type PageFrame, page } from '../layout/page.ts'
import { momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'
import { readSources, type ShownSource, sourcesTable } from './sources.ts'

export const showWorkspace: WorkspaceHandler = async (context) => {
  const { store, frame, workspace, draft } = context
  const read = await store.read((tx) => readPage(context, tx, draft))
  const { record } = read
  const changed = draft === undefined ? [] : changedMeanwhile(draft, read.values, valuesOf(record))
  const mayEdit = isManager(workspace) && record.archivedAt === null
  return htmlResponse(200, workspacePage({ frame, ...read, changedMeanwhile: changed, mayEdit }))
}

export const submitWorkspace: WorkspaceHandler = async (context, form) => {
  const { session, workspace } = context
  const save = async (tx: Transaction) => {
    const current = await workspaceOrThrow(tx, workspace.slug)
    const { errors, update: wanted } = readDetails(form)
    if (Object.keys(errors).length > 0) throw new ReopenForm()
    const changes = Object.entries(checkedUpdate(wanted)) as [keyof WorkspaceRecord, string | null][]
    if (changes.every(([field, value]) => current[field] === value)) return
    if (changedMeanwhile(form, valuesOf({ ...current, ...Object.fromEntries(changes) }), valuesOf(current)).length > 0)
      throw new ReopenForm()
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
  const filled = draft === undefined ? { values: valuesOf(record), errors: {} } : readDetails(draft)
  return {
    record,
    ...filled,
    owners: members.filter(({ role }) => role === 'owner').map(({ email }) => email),
    sources: isManager(workspace) ? await readSources(tx, listsOf(resources), workspaceId, frame.nowMs) : null,
  }
}

export interface WorkspaceModel {
  frame: PageFrame
  record: WorkspaceRecord
  values: DetailValues
  errors: DetailErrors
  /** What someone else changed while the form was open. */
  changedMeanwhile: readonly DetailField[]
  owners: string[]
  /** Null for a member, who may not see them. */
  sources: ShownSource[] | null
  mayEdit: boolean
}

export function workspacePage(model: WorkspaceModel): string {
  const { frame, record, sources, mayEdit } = model
  const isArchived = record.archivedAt !== null
  const body = [
    isArchived && archivedPanel(model),
    mayEdit ? detailsForm(model) : details(model),
    !isArchived && sources !== null && sourcesSection(model, sources),
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
  return html`<section class="panel part archived" aria-labelledby="archived"><h2 id="archived">This workspace is archived</h2>
<p>Since ${momentTime(record.archivedAt ?? '', frame)}, its keys find nothing: <code>/workspace</code> returns 404 and lists such as <code>/tasks</code> are empty. Nothing was deleted, and its keys were not changed.</p>
${restore}</section>`
}

const askOwners = (owners: readonly string[]): Part =>
  owners.length === 0
    ? 'It has no owner: ask the operator of this service.'
    : html`Ask ${joined(owners.map(isolated), ' or ')}.`

function details({ frame, record, owners }: WorkspaceModel): Html {
  const shown = (value: string | null) => (value === null ? html`<span class="faint">None</span>` : isolated(value))
  const facts = factsList([
    ['Name', isolated(record.name)],
    ['Slug', isolated(record.slug)],
    ['Timezone', shown(record.timezone)],
    ['Currency', shown(currencyText(record.currencyCode))],
    ['Country', shown(countryText(record.countryCode))],
  ])
  const why =
    frame.role === 'member' && html`<p class="hint">Owners and admins can change this. ${askOwners(owners)}</p>`
  return html`<section class="panel part" aria-labelledby="general"><h2 id="general">General</h2>
${facts}${why}</section>`
}

const sourcesSection = ({ frame }: WorkspaceModel, sources: readonly ShownSource[]): Html =>
  html`<section id="sources" aria-labelledby="sources-title"><div class="section-head"><h2 id="sources-title">Sources</h2>
<p class="hint">Where the data that keys can read comes from, and when it was last updated.</p></div>
${sourcesTable(sources, frame)}</section>`

const archiveSection = ({ workspace }: PageFrame): Html =>
  html`<section class="panel part beside" aria-labelledby="archive-title"><h2 id="archive-title">Archive</h2>
<p>While archived, no key can read it. Nothing is deleted, and an owner can restore it.</p>
<p><a class="button" href="${paths.archive(workspace.slug)}">Archive this workspace</a></p></section>`

const titles = { name: 'Name', timezone: 'Timezone', currency: 'Currency', country: 'Country' }
type DetailField = keyof typeof titles
const detailFields = Object.keys(titles) as DetailField[]

function detailsForm(model: WorkspaceModel): Html {
  const { frame, record, values, errors } = model
  const field = (name: DetailField, hint: Part, control: (attributes: Html) => Html) => {
    const { attributes, text } = describe(name, hint, errors[name])
    return html`<div class="field"><label for="${name}">${titles[name]}</label>
${control(attributes)}${text}</div>`
  }
  const select = (name: DetailField, texts: Record<string, string>) => {
    const choices = options({ '': 'None', ...texts }, values[name])
    return field(name, null, (attributes) => html`<select id="${name}" name="${name}"${attributes}>${choices}</select>`)
  }
  return html`${errorSummary(errors, 'The workspace was not changed.')}${conflictNotice('the workspace', differences(model))}
<div class="with-detail"><form class="form panel" method="post" action="${paths.workspace(frame.workspace.slug)}" novalidate aria-labelledby="general">${csrfField(frame)}${versionField(valuesOf(record))}
<h2 id="general">General</h2>
${field('name', null, (attributes) => html`<input id="name" name="name" type="text" value="${values.name}" required${maxCharacters(NAME_MAX)} dir="auto"${attributes}>`)}
<div class="field"><p class="term">Slug</p><p><code>${record.slug}</code></p><p class="hint">Used in the URLs of these pages and in commands. It cannot be changed.</p></div>
${field('timezone', TIMEZONE_HINT, (attributes) => html`<input id="timezone" name="timezone" type="text" value="${values.timezone}" list="timezones" placeholder="UTC" spellcheck="false"${attributes}><datalist id="timezones">${timezoneNames}</datalist>`)}
<div class="pair">${select('currency', currencies)}
${select('country', countries)}</div>
<p class="hint">Agents read all of this, so that they understand dates and amounts.</p>
<div class="buttons"><button class="button primary">Save changes</button></div></form>${frame.role === 'owner' && archiveSection(frame)}</div>`
}

const TIMEZONE_HINT =
  'Such as Europe/London; empty for UTC. It determines the days and times on these pages, the day on which a request is counted from now on, and what agents consider today. It does not change when keys expire.'

function differences({ changedMeanwhile, record }: WorkspaceModel): Part[] {
  const now = valuesOf(record)
  return changedMeanwhile.map(
    (name) => html`<a href="#${name}">${titles[name]}</a>: now ${now[name] === '' ? 'none' : isolated(now[name])}`,
  )
}

const currencyNames = new Intl.DisplayNames('en', { type: 'currency' })
const countryNames = new Intl.DisplayNames('en', { type: 'region' })

/** Sorted by code, which people type to find one. */
const currencies = Object.fromEntries([...currencyCodes].map((code) => [code, `${code} ${currencyNames.of(code)}`]))

const countries = Object.fromEntries(
  [...countryCodes]
    .map((code) => [code, `${countryNames.of(code)} (${code})`] as const)
    .sort(([, a], [, b]) => a.localeCompare(b, 'en')),
)

/** The list lacks the many aliases, which can still be typed. */
const timezoneNames: Html = html`${['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => html`<option>${name}</option>`)}`

const currencyText = (code: string | null): string | null => code && `${currencyNames.of(code)} (${code})`
const countryText = (code: string | null): string | null => code && `${countryNames.of(code)} (${code})`

type DetailValues = Record<DetailField, string>
type DetailErrors = Partial<Record<DetailField, string>>

const valuesOf = (workspace: WorkspaceRecord): DetailValues => ({
  name: workspace.name,
  timezone: workspace.timezone ?? '',
  currency: workspace.currencyCode ?? '',
  country: workspace.countryCode ?? '',
})

/** Enough to recognise a value, but not all of a long text or a key that someone pasted by mistake. */
const MAX_ECHOED = 300
const echoed = (text: string, redact = redactTokens) => clip(redact(text), MAX_ECHOED)

/** What the form contains, checked as it would be saved now. */
function readDetails(form: URLSearchParams) {
  const values: Partial<DetailValues> = {}
  const update: WorkspaceUpdate = {}
  const errors: DetailErrors = {}
  for (const field of detailFields) {
    const sent = (form.get(field) ?? '').trim()
    const change: WorkspaceUpdate = { [field]: field === 'name' ? sent : sent || null }
    Object.assign(update, change)
    values[field] = echoed(sent, field === 'name' ? redactName : redactTokens)
    try {
      checkedUpdate(change)
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      errors[field] = sentence(echoed(error.message))
    }
  }
  return { values: values as DetailValues, update, errors }
}
