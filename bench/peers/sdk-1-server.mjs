// The tools on a server of @modelcontextprotocol/sdk 1.x, for each peer that brings a transport of its own to it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { asText, getWorkspace, listTasks } from './data.mjs'
import { noArguments, serverInfo, taskArguments, tasksDescription, workspaceDescription } from './tools.mjs'

export function createMcpServer() {
  const server = new McpServer(serverInfo)
  server.registerTool(
    'get_workspace',
    { description: workspaceDescription, inputSchema: noArguments.shape },
    async () => asText(getWorkspace()),
  )
  server.registerTool('list_tasks', { description: tasksDescription, inputSchema: taskArguments.shape }, async (args) =>
    asText(listTasks(args)),
  )
  return server
}
