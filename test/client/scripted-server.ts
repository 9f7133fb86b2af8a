import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { listenUntilEnd } from '../support/listen.ts'

interface ScriptedServer {
  url: string
  /** Every request, in order of arrival. */
  requests: IncomingMessage[]
}

export type Step = (res: ServerResponse, req: IncomingMessage) => void

/** Sits between a client and the service, or replaces it: each request gets the next step, and later ones the last step. */
export async function startScriptedServer(t: TestContext, ...steps: [Step, ...Step[]]): Promise<ScriptedServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((req, res) => {
    requests.push(req)
    const step = steps[requests.length - 1] ?? steps.at(-1)
    step?.(res, req)
  })
  const port = await listenUntilEnd(t, server)
  return { url: `http://127.0.0.1:${port}`, requests }
}

export const respond =
  (status: number, headers: Record<string, string> = {}, body = ''): Step =>
  (res) => {
    res.writeHead(status, headers).end(body)
  }

export const noTasks = respond(200, { 'content-type': 'application/json' }, '{"tasks":[]}')
export const hangUp: Step = (res) => {
  res.destroy()
}
/** Gets no response. */
export const silence: Step = () => {}
