interface Exchange {
  verb: string
  line: Promise<string>
}

/** A real fetch that keeps a line for each request: method, protocol version in the header, status of the answer. */
export function watchWire() {
  const exchanges: Exchange[] = []
  const watched = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const verb = init.method ?? 'GET'
    const version = new Headers(init.headers).get('mcp-protocol-version') ?? 'no version'
    const answer = fetch(input, init)
    const line = answer.then(({ status }) => `${rpcMethod(init.body) ?? verb} (${version}) ${status}`)
    line.catch(() => {}) // Reading the lines still rejects.
    exchanges.push({ verb, line })
    return answer
  }
  const lines = (wanted: (verb: string) => boolean) =>
    Promise.all(exchanges.filter(({ verb }) => wanted(verb)).map(({ line }) => line))
  return {
    fetch: watched,
    posts: () => lines((verb) => verb === 'POST'),
    /** Apart from the posts, because clients send these at the same time. */
    others: () => lines((verb) => verb !== 'POST'),
  }
}

function rpcMethod(body: RequestInit['body']): string | undefined {
  return typeof body === 'string' ? (JSON.parse(body) as { method: string }).method : undefined
}
