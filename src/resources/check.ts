import { UserError } from '../lib/user-error.ts'
import { ownPaths } from '../own-paths.ts'
import type { Resource } from './define.ts'

const firstSegment = (path: string): string => path.split('/')[1] ?? ''

/** A resource under one of these would hide one of the service's own paths, or never be reached. */
const ownSegments = new Set(ownPaths.map(firstSegment))

const identities: Record<string, (resource: Resource) => string> = {
  name: ({ name }) => name,
  path: ({ path }) => path,
  permission: ({ permission }) => permission,
  'tool name': ({ tool }) => tool.name,
}

export function checkResources(resources: readonly Resource[]): void {
  for (const [what, identity] of Object.entries(identities)) {
    const names = new Map<string, string>()
    for (const resource of resources) {
      const value = identity(resource)
      const earlier = names.get(value)
      if (earlier !== undefined)
        throw new UserError(`resources ${earlier} and ${resource.name}: both have the ${what} ${value}; change one`)
      names.set(value, resource.name)
    }
  }
  for (const { name, path } of resources)
    if (ownSegments.has(firstSegment(path)))
      throw new UserError(`resource ${name}: the path ${path} belongs to the service; choose another`)
}
