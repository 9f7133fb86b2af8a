import { type Client, type Connection, runClients } from './connections.ts'

/** A client that changes a workspace and then reads it, over and over. */
export interface ChangingClient {
  request: Buffer
  /** Commits a change; gives bytes that a response must hold to show it. */
  change(): Buffer
}

interface Expected {
  bodyLength: number
  /** Whether a response must show the change that came before it; a bare server's cannot. */
  showsChange: boolean
}

/**
 * One connection for each client. Every request is sent after a change was committed, and every response must show that
 * very change; the first that does not ends the run.
 */
export async function loadWithChanges(
  port: number,
  clients: readonly ChangingClient[],
  seconds: number,
  { bodyLength, showsChange }: Expected,
): Promise<{ requests: number; seconds: number }> {
  let requests = 0
  const endsAt = performance.now() + seconds * 1000
  const tookSeconds = await runClients(port, clients.map(client), seconds)
  return { requests, seconds: tookSeconds }

  function client({ request, change }: ChangingClient): Client {
    const response = Buffer.alloc(bodyLength + 4096)
    let length = 0
    let sign: Buffer
    const send = (connection: Connection) => {
      length = 0
      sign = change()
      connection.send(request)
    }
    return {
      status: 200,
      bodyLength,
      begin: send,
      onBytes(bytes, count) {
        length += bytes.copy(response, length, 0, count)
      },
      onResponse(connection) {
        const at = showsChange ? response.indexOf(sign) : 0
        if (at === -1 || at > length) throw new Error('an answer does not show the change that came before its request')
        requests++
        if (performance.now() < endsAt) send(connection)
        else connection.end()
      },
    }
  }
}
