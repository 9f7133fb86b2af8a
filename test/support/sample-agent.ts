import { discoveryInstructions } from '../../src/mcp/2026-07-28/protocol.ts'
import { toolDefinition } from '../../src/mcp/2026-07-28/tools.ts'
import { permissionsOf, type Resource } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { shownBody, shownTools, type ToolDefinition } from '../../src/web/keys/agent/agent-view.ts'
import type { AgentViewModel } from '../../src/web/keys/agent/view.ts'
import { detail } from './sample-key-pages.ts'
import { frame, liveKey, NOW } from './sample-models.ts'

const agentKey = detail(liveKey)

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

/** What a key with these permissions sees of these resources. */
export function agentViewModelOf(all: readonly Resource[], permissions: string[]): AgentViewModel {
  const tools = all.map((resource) => toolDefinition(resource) as unknown as ToolDefinition)
  const isPermitted = ({ permission }: Resource) => permissions.includes(permission)
  const seen = tools.filter((_, index) => isPermitted(all[index] as Resource))
  const shown = shownTools(all, permissions, null)
  return {
    frame,
    key: { ...agentKey, permissions },
    view: {
      instructions: discoveryInstructions(resources),
      tools: seen
        .filter(({ name }) => shown.includes(name))
        .map((tool) => ({
          ...tool,
          response: shownBody(Buffer.from(JSON.stringify(responses[tool.name]))),
        })),
      others: seen.filter(({ name }) => !shown.includes(name)),
      hidden: all
        .filter((resource) => !isPermitted(resource))
        .map(({ tool, permission }) => ({ name: tool.name, permission })),
    },
  }
}

export const agentViewModel: AgentViewModel = agentViewModelOf(resources, permissionsOf(resources))
