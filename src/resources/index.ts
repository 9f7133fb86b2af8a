import type { Resource } from './define.ts'
import { tasks } from './tasks/contract.ts'
import { workspace } from './workspace/contract.ts'

/** Everything that can be read, in the order in which it is listed to clients. */
export const resources: readonly Resource[] = [workspace, tasks]

export const permissionsOf = (all: readonly Resource[]): string[] => all.map(({ permission }) => permission)
