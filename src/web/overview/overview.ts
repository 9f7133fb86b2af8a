import { readTrail } from '../../audit/trail.ts'
import type { Transaction } from '../../database/store.ts'
import { tablesOf } from '../../database/table.ts'
import { type AttentionKind, attentionKinds, evaluate, urgentKeys } from '../../keys/evaluate.ts'
import { readOverviews } from '../../keys/overview.ts'
import { findKeys, keyNames, newestKeyNames } from '../../keys/records.ts'
import { busiestKeys, readWorkspaceUse } from '../../keys/workspace-use.ts'
import { isManager } from '../../members/roles.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { paths } from '../paths.ts'
import { htmlResponse, protectedJsonResponse, redirect } from '../responses.ts'
import { readSources } from '../workspace/sources.ts'
import { type OverviewModel, overviewPage, overviewParts } from './overview-page.ts'

const BUSIEST_SHOWN = 5
const FINDINGS_SHOWN = 12
const CHANGES_SHOWN = 6
/** Sign-ins are left out, so a few more are read. */
const CHANGES_READ = 40

/** Members may see neither keys nor the audit log: they land on the page that shows whom to ask. */
export const showOverview: WorkspaceHandler = async (context) => {
  if (!isManager(context.workspace)) return redirect(paths.keys(context.workspace.slug))
  return htmlResponse(200, overviewPage(await readModel(context)))
}

/** The open page polls this, and replaces the parts that changed. */
export const pollOverview: WorkspaceHandler = async (context) => {
  const parts = Object.entries(overviewParts(await readModel(context))).map(([name, { text }]) => [name, text])
  return protectedJsonResponse(200, { parts: Object.fromEntries(parts) })
}

/** Reads a few rows by their indexes, however many keys the workspace has. */
const readModel = ({ store, frame, workspace, resources }: WorkspaceContext): Promise<OverviewModel> =>
  store.read(async (tx) => {
    const { workspaceId } = workspace
    const busiest = await busiestKeys(tx, workspaceId, frame, BUSIEST_SHOWN)
    const urgent = await findUrgent(tx, workspaceId, frame.nowMs)
    const ids = [...new Set([...busiest, ...urgent.map(({ id }) => id)])]
    const keys = new Map((await readOverviews(tx, workspaceId, ids, frame)).map((key) => [key.id, key]))
    return {
      frame,
      hasKeys: (await newestKeyNames(tx, workspaceId, 1)).length > 0,
      use: await readWorkspaceUse(tx, workspaceId, frame),
      busiest: busiest.flatMap((id) => keys.get(id) ?? []),
      urgent: urgent.flatMap(({ id, kind }) => {
        const key = keys.get(id)
        return key === undefined ? [] : { kind, key }
      }),
      sources: await readSources(tx, tablesOf(resources), workspaceId, frame.nowMs),
      changes: await readChanges(tx, workspace),
    }
  })

/** Each key once, for its most urgent reason; those that are due first come first. The list of keys also has the unused ones. */
async function findUrgent(tx: Transaction, workspaceId: string, nowMs: number) {
  const ids = await urgentKeys(tx, workspaceId, nowMs)
  const keys = await evaluate(tx, await findKeys(tx, workspaceId, ids), nowMs)
  const reasons = new Map(keys.map(({ id, attention }) => [id, attention[0]]))
  const ofKind = (kind: AttentionKind) => ids.filter((id) => reasons.get(id) === kind).map((id) => ({ id, kind }))
  const urgent = attentionKinds.filter((kind) => kind !== 'unused')
  return urgent.flatMap(ofKind).slice(0, FINDINGS_SHOWN)
}

async function readChanges(tx: Transaction, { workspaceId, name }: WorkspaceContext['workspace']) {
  const query = { workspaceId, keyId: null, kind: null, isChained: true, before: null, limit: CHANGES_READ }
  const entries = (await readTrail(tx, query)).filter(({ action }) => !action.startsWith('session.'))
  const changes = entries.slice(0, CHANGES_SHOWN)
  const names = await keyNames(tx, workspaceId, [...new Set(changes.map(({ subject }) => subject))])
  const subjects = new Map<string, { label: string; prefix?: string }>([
    [workspaceId, { label: name }],
    ...names.map((key) => [key.id, key] as const),
  ])
  return changes.map((entry) => ({ ...entry, ...(subjects.get(entry.subject) ?? { label: entry.subject }) }))
}
