// @modelcontextprotocol/sdk 1.x as its stateless example has it: a server and a transport for each request, JSON answers.
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'
import { port } from './data.mjs'
import { createMcpServer } from './sdk-1-server.mjs'

const app = express().use(express.json())
app.post('/mcp', async (req, res) => {
  const server = createMcpServer()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  res.on('close', () => {
    transport.close()
    server.close()
  })
  await server.connect(transport)
  await transport.handleRequest(req, res, req.body)
})
app.listen(port, '127.0.0.1')
