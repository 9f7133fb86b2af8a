/**
 * src/resources defines what clients can read. Each resource is declared once, with `defineResource` (define.ts). Its REST route,
 * MCP tool, permission, OpenAPI operation, table, import and commands are all derived from that definition.
 *
 * Where things are:
 *   index.ts           this file: the list of resources; check.ts rejects any that clash with others or with the service's paths
 *   tasks/, workspace/ the definitions: columns and contract, and what a query needs to know about tasks
 *   list.ts            `defineList` derives a list from its columns: table, indexes and filters
 *   list-arguments.ts  the filters of such a list's tool; current.ts decides which rows it contains
 *   response-cache.ts  caches each response, with its ETag, until the data changes or the next snooze ends
 *   rows.ts            lists, shows and deletes rows for operators
 *   declared/          resources that an operator declares in files: each compiles to the same kind of resource
 * A store reads lists (`ListReader` in src/database/lists/reader.ts): the first rows as a complete body, pages, counts and suggestions.
 *
 * Invariants:
 * - Nothing stale is served. A response is cached under the workspace revision that its request was admitted with. The data read
 *   after that may be newer than the revision, but never older. There is no time-to-live.
 * - Concurrent misses of the same response share one read.
 * - Both engines return the same bytes: each translates the definition's order, filters and limits into its own SQL.
 * - Memory is bounded: the cache in bytes, its keys by length, and a body by the lengths of its columns.
 *
 * Risks: a filter without an index would read a whole workspace, so test/resources/list-plan.test.ts checks the plans of both
 * engines. A body that depends on the time must set `until`, when it expires; otherwise it would be cached for too long.
 */
import type { Resource } from './define.ts'
import { tasks } from './tasks/contract.ts'
import { workspace } from './workspace/contract.ts'

/** In the order in which clients see them. */
export const resources: readonly Resource[] = [workspace, tasks]
