import { type IncomingMessage, request } from 'node:http'

export interface Sent {
  method?: string
  headers?: Record<string, string | string[]>
  /** An array is sent in chunks, without a Content-Length. */
  body?: string | Buffer | Buffer[]
}

/** A raw response: no redirect is followed, and nothing is decoded or left out. */
export interface HttpResponse {
  status: number
  /** By name in lower case. */
  headers: Record<string, string>
  body: Buffer
  text: string
  /** Undefined if the body is not JSON. */
  json: unknown
  /** What was sent, for messages of failed assertions. */
  asked?: string
}

/** One HTTP exchange that sends only what it is given: `fetch` adds headers and refuses some methods. */
export function exchange(url: string, path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  return new Promise<HttpResponse>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const length = body === undefined || Array.isArray(body) ? {} : { 'content-length': Buffer.byteLength(body) }
    const req = request({ hostname, port, path, method, headers: { ...length, ...headers } })
    const asked = `${method} ${path} ${String(body ?? '').slice(0, 200)}`
    req.on('response', (res) => readResponse(res).then((response) => resolve({ ...response, asked }), reject))
    req.on('error', reject)
    if (Array.isArray(body)) for (const chunk of body) req.write(chunk)
    else if (body !== undefined) req.write(body)
    req.end()
  })
}

export async function readResponse(res: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = []
  for await (const chunk of res) chunks.push(chunk)
  const headers = Object.fromEntries(
    Object.entries(res.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]),
  )
  return textResponse(res.statusCode ?? 0, headers, Buffer.concat(chunks))
}

export function textResponse(status: number, headers: Record<string, string>, body: Buffer): HttpResponse {
  const text = body.toString()
  return { status, headers, body, text, json: parseJson(text) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
