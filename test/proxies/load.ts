import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { waitUntil } from '../support/wait.ts'
import type { RunningProxy } from './proxies.ts'

const PAUSE_MS = 5
const TIMEOUT_MS = 60_000

const kinds = ['GET /tasks', 'POST /mcp'] as const
type Kind = (typeof kinds)[number]

type Send = (kind: Kind) => Promise<number>

export interface Load {
  /** How many got a 200, by kind and connection. */
  answered: Record<string, number>
  /** Everything else, in words. */
  failures: string[]
  /** Resolves when each client has this many more responses of each kind. */
  more(responses: number): Promise<void>
  stop(): Promise<void>
}

/** Steady requests of both kinds over a persistent connection and over new ones, until stopped. */
export function startLoad(proxy: RunningProxy, key: string, clientsOfEach = 2): Load {
  const ca = readFileSync(proxy.caFile)
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks' } })
  const headers = { authorization: `Bearer ${key}` }
  const postHeaders = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(message) }
  const answered: Record<string, number> = {}
  const failures: string[] = []
  let isOver = false

  const overHttp1 =
    (agent: Agent | false): Send =>
    (kind) =>
      new Promise((resolve, reject) => {
        const [method = '', path = ''] = kind.split(' ')
        const options = { ca, agent, method, headers: method === 'POST' ? postHeaders : headers, timeout: TIMEOUT_MS }
        const req = request(new URL(path, proxy.url), options, (res) => {
          res.on('error', reject).on('end', () => resolve(res.statusCode ?? 0))
          res.resume()
        })
        req.on('error', reject).on('timeout', () => req.destroy(new Error('timeout')))
        req.end(method === 'POST' ? message : undefined)
      })

  async function run(name: string, send: Send): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      const kind = kinds[turn % 2] ?? kinds[0]
      try {
        const status = await send(kind)
        if (status === 200) answered[`${kind}, ${name}`] = (answered[`${kind}, ${name}`] ?? 0) + 1
        else failures.push(`${kind}, ${name}: ${status}`)
      } catch (error) {
        failures.push(`${kind}, ${name}: ${(error as Error).message}`)
      }
      await delay(PAUSE_MS)
    }
  }
  const agents = Array.from({ length: clientsOfEach }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const running = agents.flatMap((agent) => [
    run('kept connection', overHttp1(agent)),
    run('new connection', overHttp1(false)),
  ])
  const least = () => {
    const counts = Object.values(answered)
    return counts.length < 4 ? 0 : Math.min(...counts)
  }
  return {
    answered,
    failures,
    async more(responses) {
      const target = least() + responses
      await waitUntil(() => least() >= target, { message: 'too few responses' })
    },
    async stop() {
      isOver = true
      await Promise.all(running)
      for (const agent of agents) agent.destroy()
    },
  }
}
