// @modelcontextprotocol/server 2.x, stateless: a server and a transport for each request, JSON answers.
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { asText, getWorkspace, listTasks } from './data.mjs'
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

export async function fetch(request) {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await createMcpServer().connect(transport)
  return transport.handleRequest(request)
}
