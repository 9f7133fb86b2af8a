import { type Received, VitrineProblem, VitrineResponseError, VitrineToolError } from './errors.ts'
import { retryAfterSeconds } from './retry.ts'

/** Returns the body of a 200, frozen, since it may be returned again. Throws anything else. */
export function readBody(path: string, response: Response, text: string, key: string): unknown {
  // Every resource is in a member with its path's name.
  const name = path.slice(1)
  return read(response, text, key, `"${name}"`, (body) => (isObject(body[name]) ? body : undefined))
}

/** Returns the JSON in a tool's result. Throws what the tool refuses, such as faulty arguments. */
export function readToolResult(response: Response, text: string, key: string): unknown {
  return read(response, text, key, 'result', ({ error, result }) => {
    if (isObject(error)) throw new VitrineToolError(String(error.message).replaceAll(key, '[key]'))
    const content = (result as { content?: { text?: unknown }[] } | undefined)?.content?.[0]?.text
    return typeof content === 'string' ? parse(content) : undefined
  })
}

function read(
  response: Response,
  text: string,
  key: string,
  what: string,
  find: (body: Record<string, unknown>) => unknown,
): unknown {
  const { status, headers } = response
  // A proxy may repeat the request in its page and in its headers.
  const withoutKey = (sent: string) => sent.replaceAll(key, '[key]')
  const header = (name: string) => withoutKey(headers.get(name) ?? '') || undefined
  const received: Received = {
    status,
    requestId: header('x-request-id'),
    retryAfterSeconds: retryAfterSeconds(response),
  }
  const type = header('content-type') ?? 'no content type'
  const body = /\bjson\b/.test(type) ? parse(response.ok ? text : withoutKey(text)) : undefined
  const found = status === 200 && isObject(body) ? find(body) : undefined
  if (found !== undefined) return found
  if (status >= 400 && isProblem(body, status)) throw new VitrineProblem(body, received)
  const location = header('location')
  const missing = status !== 200 ? 'no problem' : body === undefined ? 'no JSON' : `no ${what}`
  const got = location ? `a redirect to ${location}` : `${missing} (${type})`
  const advice = location ? 'If that is the service, use its address as url.' : 'Is something else at this address?'
  throw new VitrineResponseError(`${status} with ${got}: this response is not from Vitrine. ${advice}`, received)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_, value) => Object.freeze(value))
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Checks all members, since the caller relies on each of them. */
const isProblem = (body: unknown, status: number): body is ConstructorParameters<typeof VitrineProblem>[0] =>
  isObject(body) &&
  body.status === status &&
  ['type', 'title', 'code', 'detail', 'hint'].every((name) => typeof body[name] === 'string')
