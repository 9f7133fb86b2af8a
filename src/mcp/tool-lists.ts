import type { Resource } from '../resources/define.ts'

/** The annotations of every tool: nothing can be changed through any of them. */
export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/**
 * What `tools/list` answers to keys with these permissions: only the tools that they may call, serialised once for each set of
 * tools. Keys of equal permissions mostly share the set object, by which a list is found again.
 */
export function createToolLists(
  resources: readonly Resource[],
  serialise: (allowed: readonly Resource[]) => string,
): (permissions: ReadonlySet<string>) => string {
  const byTools = new Map<string, string>()
  const byPermissions = new WeakMap<ReadonlySet<string>, string>()

  function listFor(permissions: ReadonlySet<string>): string {
    const allowed = resources.filter(({ permission }) => permissions.has(permission))
    const key = allowed.map(({ name }) => name).join()
    const list = byTools.get(key) ?? serialise(allowed)
    byTools.set(key, list)
    byPermissions.set(permissions, list)
    return list
  }

  return (permissions) => byPermissions.get(permissions) ?? listFor(permissions)
}
