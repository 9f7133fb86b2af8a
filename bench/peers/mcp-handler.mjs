// mcp-handler 2.x has no JSON answers for clients of the 2025 protocols: it sends an event stream with one event.
import { serve } from '@hono/node-server'
import { createMcpHandler } from 'mcp-handler'
import { asText, getWorkspace, listTasks, port } from './data.mjs'
import { noArguments, serverInfo, taskArguments, tasksDescription, workspaceDescription } from './tools.mjs'

const fetch = createMcpHandler(
  (server) => {
    server.registerTool('get_workspace', { description: workspaceDescription, inputSchema: noArguments }, async () =>
      asText(getWorkspace()),
    )
    server.registerTool('list_tasks', { description: tasksDescription, inputSchema: taskArguments }, async (args) =>
      asText(listTasks(args)),
    )
  },
  { serverInfo },
)
serve({ fetch, port, hostname: '127.0.0.1' })
