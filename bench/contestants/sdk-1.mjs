// @modelcontextprotocol/sdk 1.x as its stateless example has it: a server and a transport for each request, JSON answers.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'
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

const app = express().use(express.json())
app.post('/mcp', async (req, res) => {
  const server = makeServer()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  res.on('close', () => {
    transport.close()
    server.close()
  })
  await server.connect(transport)
  await transport.handleRequest(req, res, req.body)
})
app.listen(port, '127.0.0.1')
