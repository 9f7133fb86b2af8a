import { auditCsv, auditNdjson, readForExport } from '../../audit/export.ts'
import { auditKinds, readTrail, type TrailPosition, type TrailQuery } from '../../audit/trail.ts'
import { isKeyId } from '../../keys/life-cycle.ts'
import { listKeys } from '../../keys/records.ts'
import { toInstant } from '../../lib/instant.ts'
import type { Answer } from '../../operation.ts'
import { fileAnswer, htmlAnswer, PageError } from '../answers.ts'
import { requireManager, type WorkspaceContext, type WorkspaceHandler } from '../context.ts'
import { auditPage } from './audit-page.ts'

const PAGE_ENTRIES = 100

export async function showAudit(context: WorkspaceContext): Promise<Answer> {
  const { store, workspace, chrome, request } = context
  requireManager(workspace)
  const filter = filterOf(context)
  const before = positionOf(request.query.get('before'))
  const { keys, found } = await store.read(async (tx) => ({
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
  (format: keyof typeof formats): WorkspaceHandler =>
  async (context) => {
    const { store, workspace, chrome } = context
    requireManager(workspace)
    const { type, write } = formats[format]
    const entries = await readForExport(store, filterOf(context))
    const name = `${workspace.slug}-audit-${chrome.now.slice(0, 10)}.${format}`
    return fileAnswer(type, name, [...write(entries)].join(''))
  }

function filterOf({ request, workspace }: WorkspaceContext): Pick<TrailQuery, 'workspaceId' | 'keyId' | 'kind'> {
  const keyId = request.query.get('key') || null
  if (keyId !== null && !isKeyId(keyId)) throw badAddress()
  const wanted = request.query.get('kind') || null
  const kind = auditKinds.find((known) => known === wanted) ?? null
  if (kind !== wanted) throw badAddress()
  return { workspaceId: workspace.workspaceId, keyId, kind }
}

/** Where a page ends, as it is in the address of the next. */
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
    'This address is not valid',
    'Its filter or its position in the log is unknown. Open the audit log again.',
  )
