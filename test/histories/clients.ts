import { setTimeout as delay } from 'node:timers/promises'
import type { Row } from '../../src/lists/column.ts'
import { publishedFields } from '../../src/lists/definition.ts'
import { emptyTask } from '../../src/resources/tasks/columns.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import type { Recorder } from './history.ts'
import type { Server } from './servers.ts'

/** Longer than any wait that the service promises to bound; beyond it the outcome is unknown. */
const PATIENCE_MS = 8000

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const callWith = (params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks', ...params } })

/** All of these results are cached. */
const requests = {
  tasks: { path: '/tasks' },
  workspace: { path: '/workspace' },
  tool: { path: '/mcp', body: callWith({}) },
  page: {
    path: '/v2/mcp',
    body: callWith({ arguments: { limit: 7 }, _meta: META }),
    headers: { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'list_tasks' },
  },
}
type Way = keyof typeof requests
export const WAYS = Object.keys(requests) as Way[]

interface Asked {
  way: Way
  key: string
  /** Of the key, in the history. */
  name: string
  cutAfterMs?: number | undefined
}

/** Sends a client's request, and records it with the version that it read. */
export async function record(recorder: Recorder, server: Server, { way, key, name, cutAfterMs }: Asked) {
  const { url } = server
  const { path, body, headers }: { path: string; body?: string; headers?: Record<string, string> } = requests[way]
  const ask = async () => {
    const response = await fetch(url + path, {
      ...(body !== undefined && { method: 'POST', body }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(cutAfterMs ?? PATIENCE_MS),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const answered =
    url &&
    (await recorder.after(ask, ({ status, headers, text }) => {
      const [remaining, resetSeconds] = [headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')]
      return {
        ...{ kind: 'request', key: name, status },
        ...(remaining !== null && { remaining: Number(remaining) }),
        ...(resetSeconds !== null && { resetSeconds: Number(resetSeconds) }),
        ...(status === 200 && whatWasRead(way, text)),
      }
    }))
  if (!answered) await delay(20)
  return answered || undefined
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
  const { content, structuredContent } = JSON.parse(text).result
  return way === 'page' ? JSON.stringify({ tasks: structuredContent.tasks }) : content[0].text
}

function whatWasRead(way: Way, text: string): { register?: string; value?: number; wrongBody?: string } {
  try {
    // A tool that failed: it was admitted, and read nothing.
    if (JSON.parse(text).error?.code === -32603) return {}
    if (way === 'workspace') {
      const { name, slug } = JSON.parse(text).workspace
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
