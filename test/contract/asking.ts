import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type ModernTools, startModernTools, structuredIn } from '../support/modern-client.ts'

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

/** In one protocol version. */
export interface Asking {
  where: string
  isModern: boolean
  ask(args: object): Promise<Payload>
  /** The text that names the faults. */
  fault(args: object): Promise<string>
}

/** Both ways to ask for tasks: 2025-03-26, which is the same on every path (mcp-paths.test.ts), and 2026-07-28. */
export async function startAsking(
  t: TestContext,
  options?: Parameters<typeof startModernTools>[1],
): Promise<ModernTools & { ways: readonly [Asking, Asking] }> {
  const service = await startModernTools(t, options)
  const old: Asking = {
    where: '2025-03-26',
    isModern: false,
    async ask(args) {
      const { result, error } = await service.call('list_tasks', args)
      assert.deepEqual(Object.keys(result ?? {}), ['content'], error?.message)
      return JSON.parse(result?.content[0]?.text ?? '')
    },
    async fault(args) {
      const { error } = await service.call('list_tasks', args)
      assert.equal(error?.code, -32602, JSON.stringify(args))
      const { faults } = error.data as { faults: { argument: string; problem: string }[] }
      for (const { argument, problem } of faults) assert.ok(error.message.includes(`${argument} ${problem}`))
      return error.message
    },
  }
  const modern: Asking = {
    where: '2026-07-28',
    isModern: true,
    ask: async (args) => structuredIn(await service.callTool('list_tasks', args)) as Payload,
    fault: (args) => service.fault(args),
  }
  return { ...service, ways: [old, modern] }
}

export const idsIn = ({ tasks }: Payload): string => tasks.map(({ id }) => id).join(' ')
