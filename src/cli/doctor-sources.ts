import type { HealthFinding, ReadingStore } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { counted } from '../import/difference.ts'
import { sourceStateOf } from '../import/source-state.ts'
import { listEverySource, type Source } from '../import/sources.ts'

/** A finding for every source that fails or is overdue, or one that says that none does. Archived workspaces are left out. */
export function examineSources(store: ReadingStore, tables: readonly Table[]): Promise<HealthFinding[]> {
  return store.read(async (tx) => {
    const findings: HealthFinding[] = []
    let sources = 0
    for (const { workspace, ...source } of await listEverySource(tx)) {
      const state = sourceStateOf(source, tx.nowMs)
      if (state === 'abandoned') continue
      sources++
      if (state !== 'synced') findings.push(complaint(workspace, source, state, tables))
    }
    if (findings.length > 0) return findings
    const detail = sources === 0 ? 'none yet' : `${counted(sources, 'source', 'sources')}, all synced`
    return [{ check: 'sources', ok: true, detail }]
  })
}

function complaint(
  workspace: string,
  source: Source,
  state: 'failing' | 'overdue',
  tables: readonly Table[],
): HealthFinding {
  const { tableName, name, location, failingSince, failures, failure, attemptedAt, syncedAt } = source
  const singular = tables.find((table) => table.name === tableName)?.singular ?? tableName
  const command = `vitrine ${singular} sync --workspace ${workspace} --source ${name}`
  const last = syncedAt === null ? 'it was never synced' : `last synced ${syncedAt}`
  const [detail, hint] =
    state === 'failing'
      ? [
          `failing since ${failingSince} (${counted(failures, 'attempt', 'attempts')}; ${last}): ${failure}`,
          `fix that, and run '${command} …' again`,
        ]
      : [
          `overdue: last tried ${attemptedAt}, ${last}`,
          `start '${command} --every … ${location ?? '…'}' again, or run it once without --every`,
        ]
  return { check: `source ${name} of ${tableName} in ${workspace}`, ok: false, detail, hint }
}
