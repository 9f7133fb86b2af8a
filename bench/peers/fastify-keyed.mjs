import etag from '@fastify/etag'
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import { findKey, getWorkspace, listTasks, port, RATE_LIMIT } from './keyed-data.mjs'

const app = Fastify()
app.decorateRequest('key', null)
app.addHook('onRequest', async (request, reply) => {
  request.key = findKey(request.headers.authorization) ?? null
  if (request.key === null) return reply.code(401).send({ error: 'unauthorized' })
})
await app.register(rateLimit, {
  max: RATE_LIMIT.requests,
  timeWindow: RATE_LIMIT.windowMs,
  keyGenerator: (request) => request.key.id,
})
await app.register(etag)
app.get('/tasks', (request) => listTasks(request.key.workspaceId))
app.get('/workspace', (request) => getWorkspace(request.key.workspaceId))
await app.listen({ port, host: '127.0.0.1' })
