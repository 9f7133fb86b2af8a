import type { components } from './contract.ts'

export {
  type Answer,
  type ListedTask,
  type ListTasksArguments,
  type ListTasksResult,
  type Path,
  type Quota,
  type TaskChanges,
  type TaskFilters,
  Vitrine,
  type VitrineOptions,
} from './client.ts'
export {
  type ProblemCode,
  VitrineError,
  VitrineNetworkError,
  VitrineProblem,
  VitrineResponseError,
  VitrineToolError,
} from './errors.ts'
export type Workspace = components['schemas']['Workspace']
export type Task = components['schemas']['Task']
