import { endOfLogDay, isLogDay, startOfLogDay } from '../../audit/days.ts'
import type { AuditEntry } from '../../audit/log.ts'
import { type AuditFilter, type AuditKind, type AuditPosition, auditKinds, auditLog } from '../../audit/search.ts'
import { searchLog, slicesOf } from '../../audit/slices.ts'
import { isKeyId } from '../../keys/life-cycle.ts'
import { findKeyByToken, type KeyName, keyNames } from '../../keys/records.ts'
import { toInstant } from '../../lib/instant.ts'
import { isToken } from '../../lib/key-format.ts'
import { REDACTED } from '../../lib/redact.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { type Html, html, isolated, type Part } from '../html.ts'
import * as log from '../layout/log.ts'
import { page } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { fileResponse, htmlResponse, redirect } from '../responses.ts'
import { exportFormats } from '../row-export.ts'
import { grouped, groupTable, type ShownEntry } from './table.ts'

/** Sign-ins share rows, so both are bounded to keep the page small. */
const [PAGE_ENTRIES, PAGE_ROWS] = [100, 40]
/** In a longer log, the page offers to continue the search. */
const MAX_SEARCHED = 20_000

const FIELDS = ['key', 'kind', 'who', 'q', 'from', 'to'] as const
type AuditField = (typeof FIELDS)[number]

const sentFields = (sent: URLSearchParams) => log.fieldsIn(sent, FIELDS)

function readFilter({ request, draft, workspace, frame }: WorkspaceContext) {
  const fields = sentFields(draft ?? request.query)
  const { key, who, q, from, to } = fields
  const kind = auditKinds.find((each) => each === fields.kind) ?? null
  if ((kind ?? '') !== fields.kind || (key !== '' && !isKeyId(key))) throw log.badAddress()
  const errors: Partial<Record<AuditField, string>> = { ...textErrors({ who, q }), ...dayErrors(from, to) }
  const isSearched = log.isValid({ errors })
  const filter: AuditFilter = {
    workspaceId: workspace.workspaceId,
    subject: key || null,
    kind,
    actor: who,
    search: q,
    from: isSearched && from !== '' ? startOfLogDay(from, frame.timezone) : null,
    until: isSearched && to !== '' ? endOfLogDay(to, frame.timezone) : null,
  }
  return { fields, errors, filter }
}

const HAS_KEY =
  'This contains a key, or text that looks like one, so it was not searched for. Search for its label, or paste only the key.'

function textErrors(texts: Record<'who' | 'q', string>) {
  const faults = Object.entries(texts).map(([name, text]) => {
    const tooLong = text.length > log.MAX_CHARACTERS && `Use at most ${log.MAX_CHARACTERS} characters.`
    return [name, text.includes(REDACTED) ? HAS_KEY : tooLong] as const
  })
  return Object.fromEntries(faults.filter(([, fault]) => fault !== false))
}

function dayErrors(from: string, to: string) {
  const wrong = 'Enter a valid day, such as 2026-11-15.'
  const isWrong = (day: string) => day !== '' && !isLogDay(day)
  if (isWrong(from) || isWrong(to)) return { ...(isWrong(from) && { from: wrong }), ...(isWrong(to) && { to: wrong }) }
  return from !== '' && to !== '' && from > to ? { to: 'The last day is before the first. Swap them.' } : {}
}

export const showAudit: WorkspaceHandler = async (context) => {
  const { store, workspace, frame, request } = context
  const { fields, errors, filter } = readFilter(context)
  const before = positionOf(request.query.get('before'))
  const { workspaceId } = workspace
  const { matches, ...end } = log.isValid({ errors })
    ? await searchLog(auditLog(store, withKeyNames(filter)), before, PAGE_ENTRIES, MAX_SEARCHED)
    : { matches: [], next: null, isCut: false }
  const groups = grouped(matches, filter.kind !== 'sessions')
  const isFull = groups.length > PAGE_ROWS
  const shown = groups.slice(0, PAGE_ROWS)
  const next = isFull ? (shown.at(-1)?.at(-1) ?? null) : end.next
  const subjects = new Set([...shown.flat().map(({ subject }) => subject), fields.key])
  const names = await store.read((tx) => keyNames(tx, workspaceId, [...subjects]))
  const labels = new Map([[workspaceId, workspace.name], ...names.map(({ id, label }) => [id, label] as const)])
  const labelled = (entry: AuditEntry) => {
    const label = labels.get(entry.subject)
    return { ...entry, label: label ?? labelIn(entry), hasPage: label !== undefined && isKeyId(entry.subject) }
  }
  const model = {
    ...{ frame, fields, errors, isFirst: before === null },
    key: names.find(({ id }) => id === fields.key) ?? null,
    groups: shown.map((group) => group.map(labelled)),
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
  const typed = (form.get('q') ?? '').trim()
  const key = isToken(typed) ? await store.read((tx) => findKeyByToken(tx, workspace.workspaceId, typed)) : undefined
  return redirect(paths.audit(workspace.slug, key === undefined ? fields : { ...fields, q: '', key: key.id }))
}

const COLUMNS = ['at', 'actor', 'action', 'subject', 'detail', 'workspaceId', 'number', 'previousHash', 'hash'] as const

const formats = exportFormats<AuditEntry>(COLUMNS, (entry) => COLUMNS.map((name) => entry[name]))

export const exportAudit =
  (format: keyof typeof formats): WorkspaceHandler =>
  async (context) => {
    const { store, workspace, frame } = context
    const { filter, errors } = readFilter(context)
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
  /** If the entries are those of one key; null after it was purged, too. */
  key: KeyName | null
}

export function auditPage(model: AuditModel): string {
  const { frame, fields, groups } = model
  const { slug } = frame.workspace
  const body = [
    log.logParts(model, {
      what: 'entries',
      hrefOf: (before) => paths.audit(slug, { ...fields, before }),
      all: paths.audit(slug),
      searchPlaceholder: 'Label, action, detail',
      filters: filterFields(model),
      belowFilter: ofKey(model),
      table: groups.length === 0 ? null : groupTable(groups, frame),
      nothing: nothing(model),
    }),
  ]
  return page(frame, {
    title: 'Audit log',
    lead: 'Who changed what, and who signed in. Newest first.',
    actions: log.isValid(model) && log.exportLinks((format) => paths.audit(slug, fields, format)),
    body,
  })
}

const kindText: Record<AuditKind, string> = { changes: 'Changes', members: 'Members', sessions: 'Sign-ins' }

const filterFields = ({ fields, errors }: AuditModel): Html => {
  const field = (id: AuditField, title: string, attributes: Html) =>
    log.filterField({ fields, errors }, id, title, attributes)
  return html`${field('who', 'Who', log.textInput)}
${log.filterSelect('kind', 'Kind', { '': 'All kinds', ...kindText }, fields.kind)}
${field('from', 'From', html` type="date"`)}
${field('to', 'To', html` type="date"`)}<input type="hidden" name="key" value="${fields.key}">`
}

const ofKey = ({ fields, key }: AuditModel): Part =>
  fields.key !== '' &&
  html`<p class="hint bounds">Only entries about the key ${key === null ? html`<code>${fields.key}</code>` : html`${isolated(key.label)} <code>${key.prefix}…</code>`}.</p>`

const nothing = (model: AuditModel): Html =>
  log.isFiltered(model)
    ? html`<h2>No entries match</h2><p>Try fewer words, another kind or different days.</p>`
    : html`<h2>No entries yet</h2><p>Every change to a key is recorded here.</p>`
