import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { createWorkspace } from '../../src/resources/workspace/workspaces.ts'
import { modernHeaders, modernRequest } from '../support/modern-client.ts'
import { type Service, startService } from '../support/service.ts'
import { addTasks } from '../support/tasks.ts'
import { type ScenarioName, scenarios, World } from './world.ts'

export const endpoints = {
  '2025-03-26 on /mcp': { path: '/mcp', isModern: false },
  '2025-03-26 on /v2/mcp': { path: '/v2/mcp', isModern: false },
  '2026-07-28 on /v2/mcp': { path: '/v2/mcp', isModern: true },
} as const

export type EndpointName = keyof typeof endpoints

export interface Server {
  url: string
  key: string
}

export interface FrozenService extends Server {
  world: World
  service: Service
  /** Adds a task, as an import would. */
  add(task: { id: string; title: string }): Promise<void>
}

/** The real service on a real socket, with the scenario's workspace and clock. */
export async function startFrozenService(t: Pick<TestContext, 'after'>, name: ScenarioName): Promise<FrozenService> {
  const world = new World(scenarios[name])
  // The window of the quota does not move either.
  const service = await startService(t as TestContext, { env: { RATE_LIMIT: '1000000;w=60' } })
  service.time.now = world.now
  const { operator, keys, url } = service
  const now = new Date(world.now).toISOString()
  const details = {
    name: 'Northwind Buying',
    slug: 'northwind',
    timezone: world.zone,
    currency: world.currency,
    country: 'PT',
  }
  const { id: workspaceId } = await createWorkspace(operator, details, 'test', now)
  await addTasks(operator, workspaceId, [...world.tasks], now)
  const wanted = { label: 'Questions', permissions: permissionsOf(resources), quota: null, expiresAt: null }
  const { token: key } = await keys.create(details.slug, wanted)
  return { url, key, world, service, add: (task) => addTasks(operator, workspaceId, [task], now) }
}

/** Starts it outside of a test, until `use` is done. */
export async function withFrozenService<T>(name: ScenarioName, use: (frozen: FrozenService) => Promise<T>): Promise<T> {
  const closing: (() => unknown)[] = []
  const after = ((close: () => unknown) => closing.push(close)) as TestContext['after']
  try {
    return await use(await startFrozenService({ after }, name))
  } finally {
    for (const close of closing) await close()
  }
}

interface RpcResult {
  tools: { name: string; description: string; inputSchema: object }[]
  instructions?: string
  content: { type: string; text: string }[]
  structuredContent?: unknown
  isError?: boolean
}

/** One JSON-RPC request. An error of the protocol is thrown, with its message. */
export async function request({ url, key }: Server, endpoint: EndpointName, method: string, params: object) {
  const { path, isModern } = endpoints[endpoint]
  const { name } = params as { name?: string }
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(isModern && modernHeaders(method, name)),
    },
    body: JSON.stringify(isModern ? modernRequest(method, params) : { jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  const { result, error } = JSON.parse(text) as { result?: RpcResult; error?: { message: string } }
  if (result === undefined) throw new Error(error?.message ?? text)
  return result
}

/** The text of a tool's result and, on 2026-07-28, its structured content. */
export async function callTool(server: Server, endpoint: EndpointName, name: string, args: object) {
  const { content, structuredContent, isError } = await request(server, endpoint, 'tools/call', {
    name,
    arguments: args,
  })
  const [block, ...others] = content
  assert.deepEqual([block?.type, others], ['text', []])
  if (isError) throw new Error(block?.text)
  return { text: block?.text ?? '', structuredContent }
}
