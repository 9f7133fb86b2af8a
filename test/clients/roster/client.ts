/** Where and with what a client connects; `folder` is empty, and the home of a program. */
export interface Connection {
  url: string
  key: string
  folder: string
  signal: AbortSignal
}

/** A client's results. A client that cannot list or call without a model and an account omits them. */
export interface Seen {
  tools?: string[]
  /** The text of the tools' results. */
  workspace?: string
  tasks?: string
}

/** A real client, as a row of the table in docs/mcp.md. */
export interface Client {
  name: string
  version: string
  /** What is missing to run it here. */
  missing?: string
  /** Where it cannot work, and the message that it shows. */
  fails?: Record<string, RegExp>
  /** Rejects with the client's own message if it cannot connect. */
  use(connection: Connection): Promise<Seen>
  /** The same without calling anything, if that is faster. */
  connect?(connection: Connection): Promise<unknown>
}

export const paths = ['/mcp', '/v2/mcp'] as const
