// @modelcontextprotocol/server 2.x, stateless: a server and a transport for each request, JSON answers.
import { serve } from '@hono/node-server'
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { asText, getWorkspace, listTasks, port } from './data.mjs'
import { noArguments, serverInfo, taskArguments, tasksDescription, workspaceDescription } from './tools.mjs'

function createMcpServer() {
  const server = new McpServer(serverInfo)
  server.registerTool('get_workspace', { description: workspaceDescription, inputSchema: noArguments }, async () =>
    asText(getWorkspace()),
  )
  server.registerTool('list_tasks', { description: tasksDescription, inputSchema: taskArguments }, async (args) =>
    asText(listTasks(args)),
  )
  return server
}

async function fetch(request) {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await createMcpServer().connect(transport)
  return transport.handleRequest(request)
}
serve({ fetch, port, hostname: '127.0.0.1' })
