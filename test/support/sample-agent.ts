import { discoveryInstructions } from '../../src/mcp/2026-07-28/protocol.ts'
import { toolDefinition } from '../../src/mcp/2026-07-28/tools.ts'
import { resources } from '../../src/resources/index.ts'
import { shownBody, type ToolDefinition } from '../../src/web/keys/agent/agent-view.ts'
import type { AgentViewModel } from '../../src/web/keys/agent/view.ts'
import { detail } from './sample-key-pages.ts'
import { frame, liveKey, NOW } from './sample-models.ts'

const task = {
  id: 'task_0192',
  title: 'Confirm the <b>spring</b> order 🧵 أهلا',
  details: 'x'.repeat(2000),
  dueAt: NOW,
}
const responses: Record<string, object> = {
  get_workspace: { asOf: NOW, workspace: { name: frame.workspace.name } },
  list_tasks: { asOf: NOW, tasks: Array(100).fill(task) },
}

const tools = resources.map((resource) => toolDefinition(resource) as unknown as ToolDefinition)

export const agentViewModel: AgentViewModel = {
  frame,
  key: detail(liveKey),
  view: {
    instructions: discoveryInstructions(resources),
    tools: tools.map((tool) => ({
      ...tool,
      response: shownBody(Buffer.from(JSON.stringify(responses[tool.name]))),
    })),
    others: [],
    hidden: [{ name: 'list_orders', permission: 'orders:read' }],
  },
}
