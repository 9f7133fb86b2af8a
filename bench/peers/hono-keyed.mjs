import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { etag } from 'hono/etag'
import { rateLimiter } from 'hono-rate-limiter'
import { findKey, getWorkspace, listTasks, port, RATE_LIMIT } from './keyed-data.mjs'

const app = new Hono()
app.use(async (c, next) => {
  const key = findKey(c.req.header('authorization'))
  if (key === undefined) return c.json({ error: 'unauthorized' }, 401)
  c.set('key', key)
  await next()
})
app.use(
  rateLimiter({
    limit: RATE_LIMIT.requests,
    windowMs: RATE_LIMIT.windowMs,
    keyGenerator: (c) => c.get('key').id,
  }),
)
app.use(etag())
app.get('/tasks', (c) => c.json(listTasks(c.get('key').workspaceId)))
app.get('/workspace', (c) => c.json(getWorkspace(c.get('key').workspaceId)))
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
