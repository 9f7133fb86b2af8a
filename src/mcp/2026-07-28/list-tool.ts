import { InvalidPositionError } from '../../database/keyset.ts'
import type { Viewpoint } from '../../database/queries.ts'
import type { Admission, PublicStore } from '../../database/store.ts'
import type { Resource } from '../../resources/define.ts'
import type { ListShape } from '../../resources/pages.ts'
import type { ReadValue, ResponseCache } from '../../resources/response-cache.ts'
import type { Argument } from './argument.ts'
import { readBoundedPage } from './bounded-page.ts'
import { encodeCursor } from './cursor.ts'
import { KeptPage } from './kept-page.ts'
import { changedCursor, pageRequests } from './page-request.ts'
import { type Question, questionReader } from './question.ts'
import { resultHead } from './response.ts'
import { type CallTool, unavailable } from './tool.ts'
import { untrustedMembers } from './untrusted.ts'
import { workspaceClock } from './workspace-clock.ts'

type ReadPage = NonNullable<Resource['readPage']>

/** A list, page by page. A question that was asked before is answered from what is kept, and only told the time. */
export function createListTool(
  resource: Resource & { list: ListShape; readPage: ReadPage },
  args: readonly Argument[],
  cache: ResponseCache,
): CallTool {
  const { list, tool, readPage, whenUnavailable } = resource
  const { member } = list
  const readQuestion = questionReader(tool.name, args)
  const requestOf = pageRequests(tool.name, list, args)
  const head = resultHead(untrustedMembers(resource))

  async function read(
    { key, args: asked }: Question,
    admission: Admission,
    store: PublicStore,
    viewpoint: Viewpoint,
  ): Promise<ReadValue<KeptPage> | undefined> {
    const { timezone, zone } = await workspaceClock(cache, admission)
    const { request, scope } = requestOf(admission.workspaceId, asked, zone)
    const page = await readBoundedPage(list, request, (part) => readPage(store, viewpoint, part)).catch(
      throwChangedCursor,
    )
    if (page === undefined) return undefined
    const nextCursor = page.next === undefined ? null : encodeCursor(scope, page.next)
    return { value: new KeptPage(key, { member, timezone, nextCursor, rows: page.rows }), until: page.until }
  }

  function whenGone(key: string): KeptPage {
    if (whenUnavailable === undefined) throw unavailable()
    return new KeptPage(key, { member, timezone: null, nextCursor: null, rows: Buffer.alloc(0) })
  }

  return (given, admission) => {
    const question = readQuestion(given)
    const { key, ifNoneMatch } = question
    const kept = cache.ask(key, admission, (store, viewpoint) => read(question, admission, store, viewpoint))
    const parts = (page = whenGone(key)) => page.parts(head, admission.now, ifNoneMatch)
    return kept instanceof Promise ? kept.then(parts) : parts(kept)
  }
}

/** Who forges a cursor can compute its checksums, and give it a position that is none. */
function throwChangedCursor(error: unknown): never {
  throw error instanceof InvalidPositionError ? changedCursor() : error
}
