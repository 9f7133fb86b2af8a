import { type AuditKind, auditKinds } from '../../audit/trail.ts'
import { actionText, kindText } from '../../audit/wording.ts'
import { type Html, html, named } from '../../lib/html.ts'
import { type Chrome, heading, page } from '../layout/layout.ts'
import { type Clock, momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'

export interface AuditEntry {
  at: string
  /** An email, `cli`, or for a refusal where it came from. */
  actor: string
  /** As stored: `key.created`, `key.refused.over_quota`, … */
  action: string
  /** The id of what it was done to. */
  subject: string
  /** Its label when it is a key of this workspace. */
  label: string | null
  detail: Record<string, unknown>
}

/** GET …/audit?key=&kind=&before= */
export interface AuditModel {
  chrome: Chrome
  /** Newest first. */
  entries: AuditEntry[]
  filter: { key: string | null; kind: AuditKind | null }
  /** For the filter's list. */
  keys: { id: string; label: string; prefix: string }[]
  /** The `before` of the next page; null on the last one. */
  older: string | null
}

export function auditPage(model: AuditModel): string {
  const { slug } = model.chrome.workspace
  const exports = html`<a class="button" href="${paths.auditExport(slug, 'csv', model.filter)}" download>Export CSV</a><a class="button" href="${paths.auditExport(slug, 'ndjson', model.filter)}" download>Export NDJSON</a>`
  const body = [
    heading({
      title: 'Audit log',
      lead: 'Who did what to which key, and what was refused. Newest first.',
      actions: exports,
    }),
    filterForm(model),
    model.entries.length === 0
      ? nothing(model)
      : html`<div class="panel">${auditTable(model.entries, model.chrome)}</div>`,
    model.older !== null &&
      html`<p class="pager"><a class="button" rel="next" href="${paths.audit(slug, model.filter, model.older)}">Older entries</a></p>`,
  ]
  return page(model.chrome, { title: 'Audit log', section: 'audit', body })
}

function filterForm({ chrome, filter, keys }: AuditModel): Html {
  const option = (value: string, text: string, chosen: string | null) =>
    html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${text}</option>`
  return html`<form class="filter" method="get" action="${paths.audit(chrome.workspace.slug)}">
<span class="pair"><label for="key">Key</label><select id="key" name="key">${option('', 'All keys', filter.key)}${keys.map((key) => option(key.id, `${key.label} (${key.prefix}…)`, filter.key))}</select></span>
<span class="pair"><label for="kind">Kind</label><select id="kind" name="kind">${option('', 'All kinds', filter.kind)}${auditKinds.map((kind) => option(kind, kindText[kind], filter.kind))}</select></span>
<button class="button">Filter</button>${(filter.key !== null || filter.kind !== null) && html`<a class="quiet" href="${paths.audit(chrome.workspace.slug)}">Show all</a>`}</form>`
}

const nothing = ({ filter }: AuditModel): Html =>
  filter.key === null && filter.kind === null
    ? html`<section class="panel empty"><h2>No entries yet</h2><p>Every change of a key and every refusal is recorded here.</p></section>`
    : html`<section class="panel empty"><h2>No entries match</h2><p>Choose another key or kind.</p></section>`

export function auditTable(entries: readonly AuditEntry[], clock: Clock): Html {
  const head = ['When', 'What', 'Subject', 'Who', 'Detail']
  return html`<table class="audit" role="table"><caption class="visually-hidden">Audit entries, newest first</caption>
<thead role="rowgroup"><tr role="row">${head.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${entries.map((entry) => row(entry, clock))}</tbody></table>`
}

function row({ at, action, actor, subject, label, detail }: AuditEntry, clock: Clock): Html {
  const cell = (name: string, content: Html) => html`<td role="cell" data-name="${name}">${content}</td>`
  return html`<tr role="row">${cell('When', momentTime(at, clock))}${cell('What', html`<span class="what ${actionTone(action)}" title="${action}">${actionText(action)}</span>`)}
${cell('Subject', label === null ? named(subject) : named(label))}${cell('Who', named(actor))}
${cell('Detail', details(detail, clock))}</tr>
`
}

/** Highlights what someone should look at. */
function actionTone(action: string): string {
  if (action.startsWith('key.seen.')) return 'bad'
  return action.startsWith('key.refused.') ? 'warn' : ''
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** The label has a column of its own. */
function details(detail: Record<string, unknown>, clock: Clock): Html {
  const facts = Object.entries(detail).filter(([name, value]) => name !== 'label' && value !== null)
  const shown = facts.map(
    ([name, value]) => html`<span><span class="faint">${spaced(name)}</span> ${detailValue(value, clock)}</span> `,
  )
  return html`<span class="details">${shown}</span>`
}

/** worksUntil: works until */
const spaced = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function detailValue(value: unknown, clock: Clock): Html {
  if (typeof value !== 'string') return named(JSON.stringify(value))
  return INSTANT.test(value) ? momentTime(value, clock) : named(value)
}
