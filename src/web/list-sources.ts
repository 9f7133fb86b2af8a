import { sourceStateOf } from '../import/source-state.ts'
import { listSources as readSources } from '../import/sources.ts'
import type { Answer } from '../operation.ts'
import { htmlAnswer } from './answers.ts'
import { requireManager, type WorkspaceContext } from './context.ts'
import { sourcesPage } from './pages/sources.ts'

export async function listSources({ store, workspace, chrome, nowMs }: WorkspaceContext): Promise<Answer> {
  requireManager(workspace)
  const all = await store.read((tx) => readSources(tx, workspace.workspaceId))
  const sources = all.flatMap((source) => {
    const state = sourceStateOf(source, nowMs)
    return state === 'abandoned' ? [] : { ...source, state }
  })
  return htmlAnswer(200, sourcesPage({ chrome, sources }))
}
