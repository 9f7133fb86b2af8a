import { type CurrentTasksQuery, taskColumns } from './store.ts'

/**
 * What /readyz asks: an admission and the reads behind it, with all their statements and privileges. No key has this
 * hash and no workspace this id, so nothing is counted, written or kept.
 */
export const NO_KEY_HASH = 'readiness'
export const NO_WORKSPACE = ''

export const noTasksQuery = (now: number): CurrentTasksQuery => ({
  workspaceId: NO_WORKSPACE,
  now,
  fields: taskColumns.slice(0, taskColumns.indexOf('status')),
  before: '',
  after: '',
  limit: 1,
})
