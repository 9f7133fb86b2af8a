import { serve } from '@hono/node-server'
import { McpServer, StreamableHttpTransport } from 'mcp-lite'
import { z } from 'zod'
import { asText, getWorkspace, listTasks, port } from './data.mjs'
import { noArguments, serverInfo, taskArguments, tasksDescription, workspaceDescription } from './tools.mjs'

const server = new McpServer({ ...serverInfo, schemaAdapter: (schema) => z.toJSONSchema(schema) })
server.tool('get_workspace', {
  description: workspaceDescription,
  inputSchema: noArguments,
  handler: () => asText(getWorkspace()),
})
server.tool('list_tasks', {
  description: tasksDescription,
  inputSchema: taskArguments,
  handler: (args) => asText(listTasks(args)),
})
serve({ fetch: new StreamableHttpTransport().bind(server), port, hostname: '127.0.0.1' })
