// @hono/mcp, stateless. One transport for all, as its README begins, mixes up clients that use the same request id.
import { StreamableHTTPTransport } from '@hono/mcp'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { port } from './data.mjs'
import { createMcpServer } from './sdk-1-server.mjs'

const app = new Hono()
app.post('/mcp', async (c) => {
  const transport = new StreamableHTTPTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  await createMcpServer().connect(transport)
  return transport.handleRequest(c)
})
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
