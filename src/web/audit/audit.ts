import { type TrailFilter, trailLog } from '../../audit/search.ts'
import { searchLog, slicesOf } from '../../audit/slices.ts'
import type { TrailEntry, TrailPosition } from '../../audit/trail.ts'
import { isKeyId } from '../../keys/life-cycle.ts'
import { findKeyByToken, keyNames, newestKeyNames } from '../../keys/records.ts'
import { toInstant } from '../../lib/instant.ts'
import { isToken } from '../../lib/key-format.ts'
import { exportFormats } from '../../lib/row-export.ts'
import { membersOf } from '../../members/records.ts'
import type { WorkspaceHandler } from '../context.ts'
import { badAddress, exportName, isValid } from '../layout/log.ts'
import { paths } from '../paths.ts'
import { fileResponse, htmlResponse, redirect } from '../responses.ts'
import { auditPage } from './audit-page.ts'
import { fieldsOf, readFilter } from './filter.ts'
import { grouped } from './table.ts'

/** Sign-ins share rows, so both are bounded to keep the page small. */
const [PAGE_ENTRIES, PAGE_ROWS] = [100, 40]
/** In a longer log, the page offers to continue the search. */
const MAX_SEARCHED = 20_000
/** The filter's lists suggest this many; others are typed. */
const MAX_OFFERED = 50

export const showAudit: WorkspaceHandler = async (context) => {
  const { store, workspace, frame, request, chains } = context
  const { fields, key, errors, filter } = await readFilter(context)
  const before = positionOf(request.query.get('before'))
  const { workspaceId } = workspace
  const { matches, ...end } = isValid({ errors })
    ? await searchLog(trailLog(store, withKeyNames(filter)), before, PAGE_ENTRIES, MAX_SEARCHED)
    : { matches: [], next: null, isCut: false }
  const groups = grouped(matches, filter.kind !== 'sessions')
  const isFull = groups.length > PAGE_ROWS
  const page = groups.slice(0, PAGE_ROWS)
  const next = isFull ? (page.at(-1)?.at(-1)?.position ?? null) : end.next
  const subjects = new Set(page.flat().map(({ subject }) => subject))
  const { keys, members, names } = await store.read(async (tx) => ({
    keys: await newestKeyNames(tx, workspaceId, MAX_OFFERED),
    members: await membersOf(tx, workspaceId),
    names: await keyNames(tx, workspaceId, [...subjects]),
  }))
  const labels = new Map([[workspaceId, workspace.name], ...names.map(({ id, label }) => [id, label] as const)])
  const labelled = (entry: TrailEntry) => ({ ...entry, label: labels.get(entry.subject) ?? labelIn(entry) })
  const model = {
    ...{ frame, fields, errors, key, keys, isFirst: before === null },
    groups: page.map((group) => group.map(labelled)),
    people: members.slice(0, MAX_OFFERED).map(({ email }) => email),
    older: next === null ? null : textOf(next),
    isCut: end.isCut && !isFull,
    chain: await chains.advance(store, workspaceId, frame.nowMs),
  }
  return htmlResponse(isValid(model) ? 200 : 400, auditPage(model))
}

/** After a key is purged, only its entries still have its label. */
const labelIn = ({ subject, detail: { label } }: TrailEntry): string | null =>
  isKeyId(subject) && typeof label === 'string' ? label : null

/** Keys are found by their current label and their prefix. */
const withKeyNames = (filter: TrailFilter): TrailFilter => ({
  ...filter,
  namesOf: async (tx, subjects) => {
    const names = await keyNames(tx, filter.workspaceId, subjects)
    return new Map(names.map(({ id, label, prefix }) => [id, `${label} ${prefix}`]))
  },
})

/** A pasted key is replaced by its id, so that it never appears in a URL. */
export const filterAudit: WorkspaceHandler = async ({ store, workspace }, form) => {
  const fields = fieldsOf(form)
  const pasted = ['q', 'key'].map((name) => (form.get(name) ?? '').trim()).find(isToken)
  const key =
    pasted === undefined ? undefined : await store.read((tx) => findKeyByToken(tx, workspace.workspaceId, pasted))
  return redirect(paths.audit(workspace.slug, key === undefined ? fields : { ...fields, q: '', key: key.id }))
}

const COLUMNS = ['at', 'actor', 'action', 'subject', 'detail', 'workspaceId', 'number', 'previousHash', 'hash'] as const

const UNCHAINED = { number: null, previousHash: null, hash: null }

const formats = exportFormats<TrailEntry>(COLUMNS, ({ link, ...entry }) => {
  const values = { ...entry, ...(link ?? UNCHAINED) }
  return COLUMNS.map((name) => values[name])
})

export const exportAudit =
  (format: keyof typeof formats): WorkspaceHandler =>
  async (context) => {
    const { store, workspace, frame } = context
    const { filter, errors } = await readFilter(context)
    const [fault] = Object.values(errors)
    if (fault !== undefined) throw badAddress(fault)
    context.acquireSlot()
    const name = exportName(`${workspace.slug}-audit`, frame, format)
    return fileResponse(name, formats[format], slicesOf(trailLog(store, withKeyNames(filter))))
  }

const textOf = ({ at, origin, id }: TrailPosition) => `${at}_${origin}_${id}`

function positionOf(text: string | null): TrailPosition | null {
  if (!text) return null
  const [, at = '', origin, id] = /^(\d{4}-\d\d-\d\dT[\d:.]{12}Z)_([01])_(\d{1,15})$/.exec(text) ?? []
  // A database query would fail on a day that does not exist.
  if (at === '' || toInstant(at) !== at) throw badAddress()
  return { at, origin: origin === '1' ? 1 : 0, id: Number(id) }
}
