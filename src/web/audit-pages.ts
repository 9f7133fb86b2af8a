import { auditKinds, readTrail, type TrailEntry, type TrailPosition, type TrailQuery } from '../audit/trail.ts'
import { isKeyId } from '../keys/life-cycle.ts'
import { listKeys } from '../keys/records.ts'
import { toInstant } from '../lib/instant.ts'
import type { Answer } from '../operation.ts'
import { fileAnswer, htmlAnswer } from './answers.ts'
import { type Desk, type DeskHandler, mayManage, onlyManagers } from './desk.ts'
import { auditCsv, auditNdjson } from './export.ts'
import { PageError } from './page-error.ts'
import { auditPage } from './pages/audit.ts'

const PAGE_ENTRIES = 100
const EXPORT_ENTRIES = 100_000
const EXPORT_CHUNK = 5000

export async function showAudit(desk: Desk): Promise<Answer> {
  const { parts, workspace, chrome, request } = desk
  const filter = filterOf(desk)
  const before = positionOf(request.query.get('before'))
  const { keys, found } = await parts.store.read(async (tx) => ({
    keys: await listKeys(tx, workspace.workspaceId),
    found: await readTrail(tx, { ...filter, before, limit: PAGE_ENTRIES + 1 }),
  }))
  const labels = new Map(keys.map(({ id, label }) => [id, label]))
  const shown = found.slice(0, PAGE_ENTRIES)
  const last = found.length > PAGE_ENTRIES ? shown.at(-1) : undefined
  return htmlAnswer(
    200,
    auditPage({
      chrome,
      entries: shown.map((entry) => ({ ...entry, label: labels.get(entry.subject) ?? null })),
      filter: { key: filter.keyId, kind: filter.kind },
      keys: keys.map(({ id, label, prefix }) => ({ id, label, prefix })).reverse(),
      older: last === undefined ? null : textOf(last.position),
    }),
  )
}

const formats = {
  csv: { type: 'text/csv; charset=utf-8', write: auditCsv },
  ndjson: { type: 'application/x-ndjson', write: auditNdjson },
} as const

export const exportAudit =
  (format: keyof typeof formats): DeskHandler =>
  async (desk) => {
    const { type, write } = formats[format]
    const entries = await everyEntry(desk)
    const name = `${desk.workspace.slug}-audit-${desk.chrome.now.slice(0, 10)}.${format}`
    return fileAnswer(type, name, [...write(entries)].join(''))
  }

/** A chunk at a time, so that no transaction is long; newest first, up to a bound that keeps memory in hand. */
async function everyEntry(desk: Desk): Promise<TrailEntry[]> {
  const filter = filterOf(desk)
  const entries: TrailEntry[] = []
  let before: TrailPosition | null = null
  while (entries.length < EXPORT_ENTRIES) {
    const query: TrailQuery = { ...filter, before, limit: EXPORT_CHUNK }
    const chunk = await desk.parts.store.read((tx) => readTrail(tx, query))
    entries.push(...chunk)
    before = chunk.at(-1)?.position ?? null
    if (chunk.length < EXPORT_CHUNK) break
  }
  return entries
}

function filterOf({ request, workspace }: Desk): Pick<TrailQuery, 'workspaceId' | 'keyId' | 'kind'> {
  if (!mayManage(workspace)) throw onlyManagers()
  const keyId = request.query.get('key') || null
  if (keyId !== null && !isKeyId(keyId)) throw badAddress()
  const wanted = request.query.get('kind') || null
  const kind = auditKinds.find((known) => known === wanted) ?? null
  if (kind !== wanted) throw badAddress()
  return { workspaceId: workspace.workspaceId, keyId, kind }
}

/** A page's end as it stands in the address of the next. */
const textOf = ({ at, source, id }: TrailPosition) => `${at}_${source}_${id}`

function positionOf(text: string | null): TrailPosition | null {
  if (!text) return null
  const [, at = '', source, id] = /^(\d{4}-\d\d-\d\dT[\d:.]{12}Z)_([01])_(\d{1,15})$/.exec(text) ?? []
  // An instant in its own form, of a day that exists: a database would fail on another.
  if (at === '' || toInstant(at) !== at) throw badAddress()
  return { at, source: source === '1' ? 1 : 0, id: Number(id) }
}

const badAddress = () =>
  new PageError(
    400,
    'This address is not right',
    'Its filter or its place in the log is unknown. Go to the audit log again.',
  )
