import type { TestContext } from 'node:test'
import type { HttpResponse } from './exchange.ts'
import { openRaw, type RawConnection } from './raw.ts'

const CONNECTIONS = 60

export interface Connections {
  connections: readonly RawConnection[]
  /** The same request on every connection at once, as often as wanted. */
  ask(path: string, token?: string, times?: number): Promise<HttpResponse[]>
}

/** Connections that stay open. */
export async function openConnections(t: TestContext, url: string, size = CONNECTIONS): Promise<Connections> {
  const connections = await Promise.all(Array.from({ length: size }, () => openRaw(url)))
  t.after(() => {
    for (const { socket } of connections) socket.destroy()
  })
  return {
    connections,
    async ask(path, token = '', times = 1) {
      const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
      const responses = connections.map(async (connection) => {
        const own: HttpResponse[] = []
        for (let i = 0; i < times; i++) {
          connection.write(request)
          own.push(await connection.next())
        }
        return own
      })
      return (await Promise.all(responses)).flat()
    },
  }
}

export const statusesOf = (responses: readonly HttpResponse[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
