import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { port, tasks, workspace } from './data.mjs'

const app = new Hono()
app.get('/tasks', (c) => c.json({ tasks }))
app.get('/workspace', (c) => c.json({ workspace }))
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
