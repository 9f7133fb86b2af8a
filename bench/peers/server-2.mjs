import { serve } from '@hono/node-server'
import { port } from './data.mjs'
import { fetch } from './server-2-fetch.mjs'

serve({ fetch, port, hostname: '127.0.0.1' })
