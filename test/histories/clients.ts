import { type Agent, request } from 'node:http'
import type { Row } from '../../src/lists/column.ts'
import { publishedFields } from '../../src/lists/definition.ts'
import { emptyTask } from '../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import type { Recorder } from './history.ts'
import type { Server } from './servers.ts'

/** Longer than any wait that the service promises to bound; beyond it the outcome is unknown. */
const PATIENCE_MS = 8000

export interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** One exchange; rejects if the connection is cut, by us or by the server, before the whole response came. */
export function ask(
  agent: Agent,
  url: string,
  options: { path: string; key: string; headers?: Record<string, string>; body?: string; cutAfterMs?: number },
) {
  const { path, key, body, cutAfterMs = PATIENCE_MS } = options
  return new Promise<Answered>((resolve, reject) => {
    const headers: Record<string, string> = { authorization: `Bearer ${key}`, ...options.headers }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const req = request(url + path, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk) => chunks.push(chunk))
      res.on('end', () => {
        clearTimeout(timer)
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text: Buffer.concat(chunks).toString() })
      })
      res.on('error', reject)
    })
    const timer = setTimeout(() => req.destroy(new Error('cut')), cutAfterMs)
    req.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    req.end(body)
  })
}

export type Way = 'tasks' | 'workspace' | 'tool' | 'question' | 'page'

const callWith = (params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks', ...params } })

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** All of the tool's results are cached: without arguments, with some, and in MCP 2026. */
const requests: Record<Way, { path: string; body?: string; headers?: Record<string, string> }> = {
  tasks: { path: '/tasks' },
  workspace: { path: '/workspace' },
  tool: { path: '/mcp', body: callWith({}) },
  question: { path: '/mcp', body: callWith({ arguments: { limit: 7 } }) },
  page: {
    path: '/v2/mcp',
    body: callWith({ arguments: { limit: 7 }, _meta: META }),
    headers: { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'list_tasks' },
  },
}

/** Sends a client's request and records it, with the version that it read. */
export function record(
  recorder: Recorder,
  agent: Agent,
  server: Server,
  { way, key, name, cutAfterMs }: { way: Way; key: string; name: string; cutAfterMs: number | undefined },
) {
  const url = server.url
  if (url === undefined) return Promise.resolve(undefined)
  const options = { ...requests[way], key, ...(cutAfterMs !== undefined && { cutAfterMs }) }
  return recorder.after(
    () => ask(agent, url, options),
    (answered) => {
      const { status, headers } = answered
      const remaining = headers['ratelimit-remaining']
      const resetSeconds = headers['ratelimit-reset']
      return {
        kind: 'request',
        key: name,
        status,
        ...(remaining !== undefined && { remaining: Number(remaining) }),
        ...(resetSeconds !== undefined && { resetSeconds: Number(resetSeconds) }),
        ...(status === 200 && whatWasRead(way, answered.text)),
      }
    },
  )
}

/** The one task, as each version writes it. */
export const registerTask = (version: number) => ({
  id: 'register',
  title: `version ${version}`,
  details: 'd'.repeat(version % 50),
})

/** The body of each version, to the byte. */
function taskBody(version: number): string {
  const task: Row = { ...emptyTask, ...registerTask(version) }
  return JSON.stringify({
    tasks: [Object.fromEntries(publishedFields(currentTasks.fields).map(({ name }) => [name, task[name]]))],
  })
}

/** A tool's result in REST's form. */
function toolBody(way: Way, text: string): string {
  const { result } = JSON.parse(text) as {
    result: { content: [{ text: string }]; structuredContent: { tasks: unknown[] } }
  }
  if (way === 'page') return JSON.stringify({ tasks: result.structuredContent.tasks })
  const [{ text: body }] = result.content
  return way === 'question' ? JSON.stringify({ tasks: JSON.parse(body).tasks }) : body
}

function whatWasRead(way: Way, text: string): { register?: string; value?: number; wrongBody?: string } {
  try {
    // A tool that failed: it was admitted, and read nothing.
    if ((JSON.parse(text) as { error?: { code: number } }).error?.code === -32603) return {}
    if (way === 'workspace') {
      const { name, slug } = (JSON.parse(text) as { workspace: { name: string; slug: string } }).workspace
      const value = Number(/^version (\d+)$/.exec(name)?.[1])
      return slug === 'acme' && !Number.isNaN(value) ? { register: 'workspace', value } : { wrongBody: text }
    }
    const body = way === 'tasks' ? text : toolBody(way, text)
    const value = Number(/"title":"version (\d+)"/.exec(body)?.[1])
    return body === taskBody(value) ? { register: 'tasks', value } : { wrongBody: body }
  } catch {
    return { wrongBody: text }
  }
}
