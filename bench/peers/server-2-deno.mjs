import { port } from './data.mjs'
import { fetch } from './server-2-fetch.mjs'

Deno.serve({ port, hostname: '127.0.0.1' }, fetch)
