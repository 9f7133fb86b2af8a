import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { HttpResponse } from './exchange.ts'
import { type ModernService, startModernService } from './modern-client.ts'

/** A page of a list as structured content, loosely typed for assertions. */
interface ListedPage {
  asOf: string
  timezone: string | null
  etag: string
  hasMore: boolean
  nextCursor: string | null
  tasks: Record<string, string | null>[]
}

interface ToolResult {
  content: { type: string; text: string }[]
  structuredContent?: unknown
  isError?: boolean
}

export interface ModernTools extends ModernService {
  /** tools/call with id 1. */
  callTool(name: string, args?: unknown, headers?: Record<string, string>): Promise<HttpResponse>
  /** The structured content of list_tasks, once it was found to be the same as the text. */
  list(args?: object): Promise<ListedPage>
  /** The ids of the tasks that list_tasks returns. */
  ids(args?: object): Promise<string>
  /** The text of a tool error, which has nothing else. */
  fault(args: unknown, name?: string): Promise<string>
}

export async function startModernTools(
  t: TestContext,
  options?: Parameters<typeof startModernService>[1],
): Promise<ModernTools> {
  const service = await startModernService(t, options)
  const callTool: ModernTools['callTool'] = (name, args, headers) =>
    service.ask('tools/call', args === undefined ? { name } : { name, arguments: args }, headers)
  const list: ModernTools['list'] = async (args) => structuredIn(await callTool('list_tasks', args)) as ListedPage
  return {
    ...service,
    callTool,
    list,
    ids: async (args) => (await list(args)).tasks.map(({ id }) => id).join(' '),
    async fault(args, name = 'list_tasks') {
      const { result } = (await callTool(name, args)).json as { result: ToolResult }
      assert.deepEqual(Object.keys(result), ['resultType', '_meta', 'content', 'isError'], JSON.stringify(result))
      assert.equal(result.isError, true)
      assert.equal(result.content.length, 1)
      return result.content[0]?.text ?? ''
    },
  }
}

export function structuredIn(response: HttpResponse): unknown {
  assert.equal(response.status, 200, response.text)
  const { result } = response.json as { result: ToolResult }
  assert.notEqual(result?.isError, true, response.text)
  assert.deepEqual(
    result.content.map(({ type, text }) => ({ type, json: JSON.parse(text) })),
    [{ type: 'text', json: result.structuredContent }],
  )
  return result.structuredContent
}
