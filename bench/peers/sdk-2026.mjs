// @modelcontextprotocol/server 2.x, its handler for protocol 2026-07-28: a server for each request, JSON answers.
import { serve } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { asStructured, getWorkspace, listTasksNow, port } from './data.mjs'
import {
  noArguments,
  serverInfo,
  taskArguments,
  tasksAnswer,
  tasksDescription,
  workspaceAnswer,
  workspaceDescription,
} from './tools.mjs'

const workspaceTool = { description: workspaceDescription, inputSchema: noArguments, outputSchema: workspaceAnswer }
const tasksTool = { description: tasksDescription, inputSchema: taskArguments, outputSchema: tasksAnswer }

function createMcpServer() {
  const server = new McpServer(serverInfo)
  server.registerTool('get_workspace', workspaceTool, async () => asStructured(getWorkspace()))
  server.registerTool('list_tasks', tasksTool, async (args) => asStructured(listTasksNow(args)))
  return server
}

const { fetch } = createMcpHandler(createMcpServer, { legacy: 'reject', responseMode: 'json' })
serve({ fetch, port, hostname: '127.0.0.1' })
