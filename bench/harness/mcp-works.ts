import {
  discovers,
  hasStructuredText,
  hasTasksText,
  hasToolText,
  introducesItself,
  isComplete,
  isEmptyResult,
  isRpc,
  offersTools,
} from './checks.ts'
import type { Check } from './compare.ts'
import { taskFixture } from './fixture.ts'
import { ID, type McpRequest, type ToBytes, toBytesOf2025, toBytesOf2026 } from './mcp-requests.ts'

/** Something that is asked of an MCP server, in one of the two protocols. */
export interface McpWork {
  name: string
  protocol: '2025-03-26' | '2026-07-28'
  toRequest(key: string, accept?: string): Buffer
  check: Check
  /** Measured longer than the others. */
  isMajor?: boolean
  /** Not where the same was asked of the peers before, but for arguments or the path. */
  isAgainstPeers: boolean
}

const call = (args: object) => ({ method: 'tools/call', params: { name: 'list_tasks', arguments: args } })

const introduction = {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
}

/** Questions that agents repeat, and what is to be answered. */
const questions = [
  { name: '`limit` 100', args: { limit: 100 }, tasks: taskFixture },
  {
    name: 'three filters and a limit',
    args: { limit: 20, bookKey: 'garden', assigneeEmail: 'Hanako@nordwind.example', dueBefore: '2027-01-08T00:00:00Z' },
    tasks: taskFixture
      .filter(({ bookKey, assigneeEmail, dueAt }) => {
        const isOfBoth = bookKey === 'garden' && assigneeEmail === 'hanako@nordwind.example'
        return isOfBoth && dueAt < '2027-01-08T00:00:00.000Z'
      })
      .slice(0, 20),
  },
]

const tools = ['get_workspace', 'list_tasks']

const work = (
  protocol: McpWork['protocol'],
  name: string,
  request: McpRequest,
  isRight: (result: unknown) => boolean,
  options: Partial<Pick<McpWork, 'isMajor' | 'isAgainstPeers'>> = {},
): McpWork => {
  const toBytes: ToBytes = protocol === '2025-03-26' ? toBytesOf2025 : toBytesOf2026
  return {
    name: `${name}, ${request.path} in ${protocol}`,
    protocol,
    toRequest: (key, accept) => toBytes(key, request, accept),
    check: isRpc(ID, isRight),
    isAgainstPeers: true,
    ...options,
  }
}

const old = (name: string, request: McpRequest, isRight: (result: unknown) => boolean, options = {}) =>
  work('2025-03-26', name, request, isRight, options)

const modern = (name: string, request: Omit<McpRequest, 'path'>, isRight: (result: unknown) => boolean, options = {}) =>
  work('2026-07-28', name, { path: '/v2/mcp', ...request }, (result) => isComplete(result) && isRight(result), options)

const ofTasks = { tasks: taskFixture }
const alone = { isAgainstPeers: false }

/** What every server of the protocol does. The first of each is what agents mostly ask for. */
export const mcpWorks: readonly McpWork[] = [
  old('`tools/call` list_tasks, 100 tasks', { path: '/mcp', ...call({}) }, hasToolText(ofTasks), { isMajor: true }),
  old('`initialize`', { path: '/mcp', method: 'initialize', params: introduction }, introducesItself),
  old('`tools/list`', { path: '/mcp', method: 'tools/list' }, offersTools(tools)),
  old('`ping`', { path: '/mcp', method: 'ping' }, isEmptyResult),
  ...questions.map(({ name, args, tasks }) =>
    old(
      `\`tools/call\` list_tasks with ${name}, repeated`,
      { path: '/mcp', ...call(args) },
      hasTasksText(tasks),
      alone,
    ),
  ),
]

/** Only of a server that has `/v2/mcp`. */
export const v2Works: readonly McpWork[] = [
  modern('`tools/call` list_tasks, 100 tasks', call({}), hasStructuredText(taskFixture), { isMajor: true }),
  modern('`tools/list`', { method: 'tools/list' }, offersTools(tools)),
  modern('`server/discover`', { method: 'server/discover' }, discovers('2026-07-28')),
  ...questions.map(({ name, args, tasks }) =>
    modern(`\`tools/call\` list_tasks with ${name}, repeated`, call(args), hasStructuredText(tasks), alone),
  ),
]
