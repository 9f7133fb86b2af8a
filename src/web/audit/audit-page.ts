import type { ChainState } from '../../audit/chain-watch.ts'
import { auditKinds } from '../../audit/trail.ts'
import { kindText } from '../../audit/wording.ts'
import { formatCount } from '../../lib/format-count.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { csrfField, describe, errorSummary } from '../layout/field.ts'
import { icon } from '../layout/icon.ts'
import { heading, type PageFrame, page } from '../layout/page.ts'
import { type Clock, momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { type AuditErrors, type AuditFields, MAX_CHARACTERS } from './filter.ts'
import { type AuditEntry, groupTable } from './table.ts'

export interface AuditModel {
  frame: PageFrame
  groups: AuditEntry[][]
  fields: AuditFields
  errors: AuditErrors
  keys: { id: string; label: string; prefix: string }[]
  people: string[]
  isFirst: boolean
  older: string | null
  isCut: boolean
  chain: ChainState
}

export function auditPage(model: AuditModel): string {
  const { frame, fields, errors, groups, chain } = model
  const { slug } = frame.workspace
  const exports = html`<a class="button" href="${paths.auditExport(slug, 'csv', { ...fields })}" download>Export CSV</a><a class="button" href="${paths.auditExport(slug, 'ndjson', { ...fields })}" download>Export NDJSON</a>`
  const isValid = Object.keys(errors).length === 0
  const body = [
    heading({
      title: 'Audit log',
      lead: 'Who did what to which key, and which requests were refused. Newest first.',
      actions: isValid && exports,
    }),
    chainState(chain, frame),
    errorSummary(errors, 'The log was not searched.'),
    filterForm(model),
    groups.length > 0 && html`<div class="panel">${groupTable(groups, frame)}</div>`,
    groups.length === 0 && isValid && nothing(model),
    pager(model),
  ]
  return page(frame, { title: 'Audit log', section: 'audit', body })
}

const isFiltered = ({ fields }: AuditModel): boolean => Object.values(fields).some((value) => value !== '')

function filterForm(model: AuditModel): Html {
  const { frame, fields, errors, keys, people } = model
  const option = (value: string, text: string, chosen: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`
  const field = (id: 'q' | 'who' | 'from' | 'to', title: string, attributes: Html) => {
    const described = describe(id, null, errors[id])
    return html`<div class="field"><label for="${id}">${title}</label><input id="${id}" name="${id}" value="${fields[id]}" autocomplete="off"${attributes}${described.attributes}>${described.text}</div>`
  }
  const select = (id: 'kind' | 'key', title: string, options: Part) =>
    html`<div class="field"><label for="${id}">${title}</label><select id="${id}" name="${id}">${options}</select></div>`
  const text = html` type="search" maxlength="${MAX_CHARACTERS}" spellcheck="false" dir="auto"`
  return html`<form class="audit-filter" method="post" action="${paths.audit(frame.workspace.slug)}" role="search" novalidate>${csrfField(frame)}
${field('q', 'Search', html`${text} placeholder="Labels, actions, details"`)}
${field('who', 'Who', html`${text} list="people"`)}<datalist id="people">${people.map((email) => html`<option>${email}</option>`)}</datalist>
${select('kind', 'Kind', [option('', 'All kinds', fields.kind), ...auditKinds.map((kind) => option(kind, kindText[kind], fields.kind))])}
${select('key', 'Key', [option('', 'All keys', fields.key), ...keys.map((key) => option(key.id, `${key.label} (${key.prefix}…)`, fields.key))])}
${field('from', 'From', html` type="date"`)}
${field('to', 'To', html` type="date"`)}
<div class="buttons"><button class="button">Filter</button>${isFiltered(model) && html`<a class="quiet" href="${paths.audit(frame.workspace.slug)}">Show all</a>`}</div></form>`
}

function nothing(model: AuditModel): Part {
  if (model.isCut) return false
  if (!model.isFirst) return html`<section class="panel empty"><h2>No older entries</h2></section>`
  return isFiltered(model)
    ? html`<section class="panel empty"><h2>No entries match</h2><p>Try fewer words, another kind or different days.</p></section>`
    : html`<section class="panel empty"><h2>No entries yet</h2><p>Every change to a key and every refusal is recorded here.</p></section>`
}

function pager({ frame, fields, older, isFirst, isCut }: AuditModel): Part {
  const { slug } = frame.workspace
  const newest = !isFirst && html`<a class="button" href="${paths.audit(slug, { ...fields })}">Newest entries</a>`
  const next =
    older !== null &&
    html`<a class="button" rel="next" href="${paths.audit(slug, { ...fields }, older)}">${isCut ? 'Search older entries' : 'Older entries'}</a>`
  const cut =
    isCut &&
    html`<p class="notice">${icon('info')}<span>The log is long, and older entries have not been searched yet.</span></p>`
  return (newest !== false || next !== false) && html`${cut}<p class="pager buttons">${newest}${next}</p>`
}

const MINUTE_MS = 60_000

/** The text claims no more than was verified. */
export function chainState({ verifiedTo, end, since, at, prune, fault }: ChainState, clock: Clock): Part {
  if (fault !== null) {
    const fits = Math.min(verifiedTo, fault.number - 1)
    return html`<div class="notice bad" role="alert"><p><strong>This log was tampered with or is damaged: entry ${formatCount(fault.number)} is broken.</strong> ${sentence(fault.message)}${fits > 0 && html` The entries up to ${formatCount(fits)} are intact.`} Ask the operator of this service to run <code>vitrine audit verify</code>.</p></div>`
  }
  if (end === 0) return false
  const now = html`today ${timeOfDay(at, clock)}`
  if (verifiedTo < end)
    return line(
      html`Verified up to entry ${formatCount(verifiedTo)} of ${formatCount(end)}, ${now}. Each visit to this page verifies more; <code>vitrine audit verify</code> verifies everything at once.`,
    )
  const first = new Date(since).toISOString()
  const intact =
    prune === undefined
      ? 'no entry was changed or removed.'
      : html`no entry was changed. Older entries, up to ${formatCount(prune.through)}, were pruned, most recently on ${momentTime(prune.at, clock)}.`
  return line(
    html`Verified up to entry ${formatCount(verifiedTo)}, ${now}: ${intact}${at - since >= MINUTE_MS && html` The first entries were verified on ${momentTime(first, clock)}.`}`,
  )
}

const line = (text: Html): Html => html`<p class="chain hint">${icon('check')}<span>${text}</span></p>`

const timeOfDay = (ms: number, { timezone }: Clock): string =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: timezone }).format(ms)

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
