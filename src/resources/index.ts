import { permissionsOf, type Resource } from './define.ts'
import { tasks } from './tasks/contract.ts'
import { workspace } from './workspace/contract.ts'

/** In the order in which clients see them. */
export const resources: readonly Resource[] = [workspace, tasks]

/** What a new key may read unless told otherwise: the permissions of declared resources are chosen, never given. */
export const defaultPermissions: readonly string[] = permissionsOf(resources)
