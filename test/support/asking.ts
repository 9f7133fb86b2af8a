import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { modernHeaders, modernRequest } from './modern-client.ts'
import { type ModernTools, startModernTools, structuredIn } from './modern-tools.ts'

/** What list_tasks returns, loosely typed for assertions. */
export interface Payload {
  asOf: string
  localDate: string
  timezone: string | null
  etag: string
  unchanged?: true
  since?: string
  total: number
  totalIsMinimum?: true
  hasMore: boolean
  nextCursor: string | null
  tasks: Record<string, unknown>[]
  suggestions?: Record<string, string[]>
  notFound?: string[]
  overdue?: number
  counts?: { value: string | null; count: number; overdue: number; name?: string; title?: string }[]
  more?: number
  gone?: string[]
  goneIsPartial?: true
}

/** One protocol version on one path. */
export interface Asking {
  where: string
  isModern: boolean
  ask(args: object, tool?: string): Promise<Payload>
  /** The text that names the faults. */
  fault(args: object): Promise<string>
}

const OLD_PATHS = ['/mcp', '/v1/mcp', '/v2/mcp']

/** Every way to ask: 2025-03-26 on all three paths, and 2026-07-28. */
export async function startAsking(
  t: TestContext,
  options?: Parameters<typeof startModernTools>[1],
): Promise<ModernTools & { ways: Asking[] }> {
  const service = await startModernTools(t, options)
  const old = (path: string): Asking => {
    const call = async (args: object, tool: string) => {
      const params = { name: tool, arguments: args }
      return (await service.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, {}, path)).json as {
        result?: { content: { text: string }[] }
        error?: { code: number; message: string; data: { faults: { argument: string; problem: string }[] } }
      }
    }
    return {
      where: `2025-03-26 on ${path}`,
      isModern: false,
      async ask(args, tool = 'list_tasks') {
        const { result, error } = await call(args, tool)
        assert.deepEqual(Object.keys(result ?? {}), ['content'], error?.message)
        return JSON.parse(result?.content[0]?.text ?? '')
      },
      async fault(args) {
        const { error } = await call(args, 'list_tasks')
        assert.equal(error?.code, -32602, JSON.stringify(args))
        for (const { argument, problem } of error.data.faults)
          assert.ok(error.message.includes(`${argument} ${problem}`))
        return error.message
      },
    }
  }
  const modern: Asking = {
    where: '2026-07-28',
    isModern: true,
    ask: async (args, tool = 'list_tasks') => {
      const params = { name: tool, arguments: args }
      const response = await service.post(modernRequest('tools/call', params), modernHeaders('tools/call', tool))
      return structuredIn(response) as Payload
    },
    fault: (args) => service.fault(args),
  }
  return { ...service, ways: [...OLD_PATHS.map(old), modern] }
}

export const idsIn = ({ tasks }: Payload): string => tasks.map(({ id }) => id).join(' ')
