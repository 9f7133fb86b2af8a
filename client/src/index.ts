import type { components } from './contract.ts'

export { type Answer, type Path, type Quota, Vitrine, type VitrineOptions } from './client.ts'
export {
  type ProblemCode,
  VitrineError,
  VitrineNetworkError,
  VitrineProblem,
  VitrineResponseError,
} from './errors.ts'
export type Workspace = components['schemas']['Workspace']
export type Task = components['schemas']['Task']
