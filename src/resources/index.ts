import type { Resource } from './define.ts'
import { tasks } from './tasks/contract.ts'
import { workspace } from './workspace/contract.ts'

/** In the order in which clients see them. */
export const resources: readonly Resource[] = [workspace, tasks]
