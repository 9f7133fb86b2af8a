import type { AuditEntry } from '../../audit/log.ts'
import { type AuditFilter, type AuditKind, type AuditPosition, auditLog } from '../../audit/search.ts'
import { searchLog, slicesOf } from '../../audit/slices.ts'
import { isKeyId } from '../../keys/life-cycle.ts'
import { findKeyByToken, type KeyName, keyNames, newestKeyNames } from '../../keys/records.ts'
import { toInstant } from '../../lib/instant.ts'
import { isToken } from '../../lib/key-format.ts'
import { membersOf } from '../../members/records.ts'
import type { WorkspaceHandler } from '../context.ts'
import { type Html, html, type Part } from '../html.ts'
import * as log from '../layout/log.ts'
import { page } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { fileResponse, htmlResponse, redirect } from '../responses.ts'
import { exportFormats } from '../row-export.ts'
import { type AuditField, type ChosenKey, keyText, readFilter, sentFields } from './filter.ts'
import { grouped, groupTable, type ShownEntry } from './table.ts'

/** Sign-ins share rows, so both are bounded to keep the page small. */
const [PAGE_ENTRIES, PAGE_ROWS] = [100, 40]
/** In a longer log, the page offers to continue the search. */
const MAX_SEARCHED = 20_000
/** The filter's lists suggest this many; others are typed. */
const MAX_OFFERED = 50

export const showAudit: WorkspaceHandler = async (context) => {
  const { store, workspace, frame, request } = context
  const { fields, key, errors, filter } = await readFilter(context)
  const before = positionOf(request.query.get('before'))
  const { workspaceId } = workspace
  const { matches, ...end } = log.isValid({ errors })
    ? await searchLog(auditLog(store, withKeyNames(filter)), before, PAGE_ENTRIES, MAX_SEARCHED)
    : { matches: [], next: null, isCut: false }
  const groups = grouped(matches, filter.kind !== 'sessions')
  const isFull = groups.length > PAGE_ROWS
  const shown = groups.slice(0, PAGE_ROWS)
  const next = isFull ? (shown.at(-1)?.at(-1) ?? null) : end.next
  const subjects = new Set(shown.flat().map(({ subject }) => subject))
  const { keys, members, names } = await store.read(async (tx) => ({
    keys: await newestKeyNames(tx, workspaceId, MAX_OFFERED),
    members: await membersOf(tx, workspaceId),
    names: await keyNames(tx, workspaceId, [...subjects]),
  }))
  const labels = new Map([[workspaceId, workspace.name], ...names.map(({ id, label }) => [id, label] as const)])
  const labelled = (entry: AuditEntry) => {
    const label = labels.get(entry.subject)
    return { ...entry, label: label ?? labelIn(entry), hasPage: label !== undefined && isKeyId(entry.subject) }
  }
  const model = {
    ...{ frame, fields, errors, key, keys, isFirst: before === null },
    groups: shown.map((group) => group.map(labelled)),
    people: members.slice(0, MAX_OFFERED).map(({ email }) => email),
    older: next === null ? null : textOf(next),
    isCut: end.isCut && !isFull,
  }
  return htmlResponse(log.isValid(model) ? 200 : 400, auditPage(model))
}

/** After a key is purged, only its entries still have its label. */
const labelIn = ({ subject, detail: { label } }: AuditEntry): string | null =>
  isKeyId(subject) && typeof label === 'string' ? label : null

/** Keys are found by their current label and their prefix. */
const withKeyNames = (filter: AuditFilter): AuditFilter => ({
  ...filter,
  namesOf: async (tx, subjects) => {
    const names = await keyNames(tx, filter.workspaceId, subjects)
    return new Map(names.map(({ id, label, prefix }) => [id, `${label} ${prefix}`]))
  },
})

/** A pasted key is replaced by its id, so that it never appears in a URL. */
export const filterAudit: WorkspaceHandler = async ({ store, workspace }, form) => {
  const fields = sentFields(form)
  const pasted = ['q', 'key'].map((name) => (form.get(name) ?? '').trim()).find(isToken)
  const key =
    pasted === undefined ? undefined : await store.read((tx) => findKeyByToken(tx, workspace.workspaceId, pasted))
  return redirect(paths.audit(workspace.slug, key === undefined ? fields : { ...fields, q: '', key: key.id }))
}

const COLUMNS = ['at', 'actor', 'action', 'subject', 'detail', 'workspaceId', 'number', 'previousHash', 'hash'] as const

const formats = exportFormats<AuditEntry>(COLUMNS, (entry) => COLUMNS.map((name) => entry[name]))

export const exportAudit =
  (format: keyof typeof formats): WorkspaceHandler =>
  async (context) => {
    const { store, workspace, frame } = context
    const { filter, errors } = await readFilter(context)
    const [fault] = Object.values(errors)
    if (fault !== undefined) throw log.badAddress(fault)
    context.acquireSlot()
    const name = log.exportName(`${workspace.slug}-audit`, frame, format)
    return fileResponse(name, formats[format], slicesOf(auditLog(store, withKeyNames(filter))))
  }

const textOf = ({ at, number }: AuditPosition) => `${at}_${number}`

function positionOf(text: string | null): AuditPosition | null {
  if (!text) return null
  const [, at = '', number] = /^(\d{4}-\d\d-\d\dT[\d:.]{12}Z)_(\d{1,15})$/.exec(text) ?? []
  // A database query would fail on a day that does not exist.
  if (at === '' || toInstant(at) !== at) throw log.badAddress()
  return { at, number: Number(number) }
}

export interface AuditModel extends log.LogModel<AuditField> {
  groups: ShownEntry[][]
  key: Pick<ChosenKey, 'text' | 'matches'>
  /** Suggestions, newest first. */
  keys: KeyName[]
  people: string[]
}

export function auditPage(model: AuditModel): string {
  const { frame, fields, groups } = model
  const { slug } = frame.workspace
  const body = [
    log.logParts(model, {
      what: 'entries',
      hrefOf: (before) => paths.audit(slug, { ...fields, before }),
      all: paths.audit(slug),
      searchPlaceholder: 'Labels, actions, details',
      filters: filterFields(model),
      belowFilter: keyMatches(model),
      table: groups.length === 0 ? null : groupTable(groups, frame),
      nothing: nothing(model),
    }),
  ]
  return page(frame, {
    title: 'Audit log',
    lead: 'Who did what to which key. Newest first.',
    actions: log.isValid(model) && log.exportLinks((format) => paths.audit(slug, fields, format)),
    body,
  })
}

const kindText: Record<AuditKind, string> = { changes: 'Changes', members: 'Members', sessions: 'Sign-ins' }

function filterFields({ fields, errors, key, keys, people }: AuditModel): Html {
  const field = (id: AuditField, title: string, attributes: Html) =>
    log.filterField({ fields: { ...fields, key: key.text }, errors }, id, title, attributes)
  const suggestions = (id: string, texts: readonly string[]) =>
    html`<datalist id="${id}">${texts.map((text) => html`<option>${text}</option>`)}</datalist>`
  return html`${field('who', 'Who', html`${log.textInput} list="people"`)}${suggestions('people', people)}
${log.filterSelect('kind', 'Kind', { '': 'All kinds', ...kindText }, fields.kind)}
${field('key', 'Key', html`${log.textInput} list="keys" placeholder="Label, prefix or id"`)}${suggestions('keys', keys.map(keyText))}
${field('from', 'From', html` type="date"`)}
${field('to', 'To', html` type="date"`)}`
}

const keyMatches = ({ frame, fields, key }: AuditModel): Part =>
  key.matches.length > 0 &&
  html`<ul class="panel choose" aria-label="Keys that match">${key.matches.map((match) => html`<li><a href="${paths.audit(frame.workspace.slug, { ...fields, key: match.id })}">${keyText(match)}</a></li>`)}</ul>`

const nothing = (model: AuditModel): Html =>
  log.isFiltered(model)
    ? html`<h2>No entries match</h2><p>Try fewer words, another kind or different days.</p>`
    : html`<h2>No entries yet</h2><p>Every change to a key is recorded here.</p>`
