import type { KeyRecord } from '../../src/keys/records.ts'
import { INSTRUCTIONS } from '../../src/mcp/2026-07-28/protocol.ts'
import { toolDefinition } from '../../src/mcp/2026-07-28/tool-definition.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import type { AgentViewModel, TriedModel } from '../../src/web/keys/agent/page.ts'
import { shownBody, type ToolDefinition } from '../../src/web/keys/agent/responses.ts'
import { tryChoices } from '../../src/web/keys/agent/try-form.ts'
import { ago, frame, NOW } from './sample-models.ts'

export const agentKey: KeyRecord = {
  id: 'key_8fK2aQ',
  workspaceId: 'ws_1',
  prefix: 'vtr_8fK2aQ',
  label: 'Nightly report',
  permissions: permissionsOf(resources),
  quota: null,
  createdBy: 'priya@northwind.example',
  createdAt: ago(40 * 86_400_000),
  ...{ expiresAt: null, retiresAt: null, pausedAt: null, revokedAt: null, replaces: null },
}

const tools = resources.map((resource) => toolDefinition(resource) as unknown as ToolDefinition)
const task = {
  id: 'task_0192',
  title: 'Confirm the <b>spring</b> order 🧵 أهلا',
  details: 'x'.repeat(2000),
  dueAt: NOW,
}
const responses = [
  { asOf: NOW, workspace: { name: frame.workspace.name } },
  { asOf: NOW, tasks: Array(100).fill(task) },
]
const shown = tools.map((tool, index) => ({
  ...tool,
  response: { bytes: 85_635, tokens: 11_065, shown: shownBody(Buffer.from(JSON.stringify(responses[index]))) },
}))

export const agentViewModel: AgentViewModel = {
  frame,
  key: agentKey,
  view: {
    instructions: { text: INSTRUCTIONS, tokens: 123 },
    list: { bytes: 2828, tokens: 710 },
    tools: shown,
    hidden: [],
  },
  choices: tryChoices(resources, tools, agentKey.permissions),
  chosen: 'tools/call list_tasks',
  form: new URLSearchParams(),
}

/** Of a key that was paused, and may see no tool. */
export const poorAgentViewModel: AgentViewModel = {
  ...agentViewModel,
  key: { ...agentKey, permissions: [], pausedAt: NOW },
  view: {
    ...agentViewModel.view,
    tools: [],
    hidden: tools.map(({ name }) => ({ name, permission: 'tasks:read' })),
  },
  choices: tryChoices(resources, tools, []),
  chosen: 'GET /tasks',
}

export const triedModel: TriedModel = {
  ...agentViewModel,
  form: new URLSearchParams([
    ['list_tasks.limit', '3'],
    ['list_tasks.fields', 'dueAt'],
  ]),
  response: {
    status: 200,
    headers: [
      ['X-Request-Id', '9f851a5b-2792-49dd-9deb-6b2e4049ae1a'],
      ['RateLimit-Policy', '600;w=60'],
      ['Content-Type', 'application/json'],
    ],
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { structuredContent: responses[1] } })),
  },
}

export const refusedTryModel: TriedModel = {
  ...triedModel,
  chosen: 'GET /tasks',
  response: {
    status: 429,
    headers: [['Retry-After', '60']],
    body: Buffer.from('{"type":"/problems/rate_limited","status":429}'),
  },
}
