/** A request of a check; headers are sent as they are written. */
export interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  /** Whether it carries the key, and so costs one of its quota. */
  withKey?: boolean
  /** How the body is sent: after `100 Continue`, in chunks, or only when there is no response to the head. */
  bodyMode?: 'continue' | 'chunked' | 'late'
}

export interface HttpResponse {
  request: Request
  httpVersion: string
  status: number
  /** By lower-case name; several of one name are joined with commas. */
  headers: Readonly<Record<string, string>>
  /** Names and values in turn, as they came. */
  rawHeaders: readonly string[]
  body: Buffer
  text: string
  /** Undefined if the body is not JSON. */
  json: unknown
  /** Whether an earlier response had its X-Request-Id. */
  isRepeated?: boolean
  /** Of the body mode `late`: whether the response came before the body was sent. */
  cameEarly?: boolean
}

export function createResponse(parts: Omit<HttpResponse, 'text' | 'json' | 'headers'>): HttpResponse {
  const headers: Record<string, string> = {}
  for (let at = 0; at + 1 < parts.rawHeaders.length; at += 2) {
    const name = String(parts.rawHeaders[at]).toLowerCase()
    const value = String(parts.rawHeaders[at + 1])
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const text = parts.body.toString('utf8')
  return { ...parts, headers, text, json: parseJson(text) }
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without parameters, in lower case. */
export const mediaType = ({ headers }: HttpResponse): string =>
  (headers['content-type'] ?? '').replace(/;.*$/s, '').trim().toLowerCase()
