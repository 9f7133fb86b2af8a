// @hono/mcp, stateless. One transport for all, as its README begins, mixes up clients that use the same request id.
import { StreamableHTTPTransport } from '@hono/mcp'
import { serve } from '@hono/node-server'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Hono } from 'hono'
import { asText, getWorkspace, listTasks, port } from './data.mjs'
import { noArguments, serverInfo, taskArguments, tasksDescription, workspaceDescription } from './tools.mjs'

function makeServer() {
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

const app = new Hono()
app.post('/mcp', async (c) => {
  const transport = new StreamableHTTPTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  await makeServer().connect(transport)
  return transport.handleRequest(c)
})
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
