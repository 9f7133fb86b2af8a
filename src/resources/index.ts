/**
 * src/resources defines what clients can read. Each resource is declared once, with `defineResource` (define.ts). Its REST route,
 * MCP tool, permission, OpenAPI operation, import and commands are all derived from that definition.
 *
 * Where things are:
 *   index.ts           this file: the list of resources; check.ts rejects any that clash with others or with the service's paths
 *   tasks/, workspace/ the definitions: columns and contract; the list of current tasks
 *   list-arguments.ts  the filters of a declared list's tool
 *   response-cache.ts  caches each response, with its ETag, until the data changes or the next snooze ends
 *   rows.ts            lists, shows and deletes rows for operators
 *   declared/          resources that an operator declares in files: each compiles to the same kind of resource
 * src/lists reads lists: the first rows as a complete body, pages, counts and suggestions.
 *
 * Invariants:
 * - Nothing stale is served. A response is cached under the workspace revision that its request was admitted with. The data read
 *   after that may be newer than the revision, but never older. There is no time-to-live.
 * - Concurrent misses of the same response share one read.
 * - Both engines return the same bytes: they store the same items, and the same code reads them.
 * - Memory is bounded: the cache in bytes, its keys by length, and a body by the lengths of its columns.
 *
 * Risks: a body that depends on the time must set `until`, when it expires; otherwise it would be cached for too long.
 */
import type { Resource } from './define.ts'
import { tasks } from './tasks/contract.ts'
import { workspace } from './workspace/contract.ts'

/** In the order in which clients see them. */
export const resources: readonly Resource[] = [workspace, tasks]
