import assert from 'node:assert/strict'
import type { HttpResponse } from './exchange.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type Check<Args extends unknown[], Result> = (response: HttpResponse, ...args: Args) => Result

/** A check whose failure names the request, and the line that called it instead of one of its own. */
export function checking<Args extends unknown[], Result>(check: Check<Args, Result>): Check<Args, Result> {
  return function checked(response, ...args) {
    try {
      return check(response, ...args)
    } catch (error) {
      const failure = error as Error
      if (response.asked !== undefined) failure.message += `\nin response to ${response.asked}`
      Error.captureStackTrace(failure, checked)
      throw failure
    }
  }
}

/** Headers that HTTP itself adds, and whose values say nothing of the operation. */
const TRANSPORT = ['connection', 'date', 'keep-alive']

/** The response has these headers and no other, besides those of HTTP itself and a fresh X-Request-Id. */
export const assertHeaders = checking((response, expected: Record<string, string>) => {
  const sent = Object.fromEntries(Object.entries(response.headers).filter(([name]) => !TRANSPORT.includes(name)))
  assert.match(sent['x-request-id'] ?? '', UUID)
  delete sent['x-request-id']
  assert.deepEqual(sent, expected)
})

/** Sets of headers for `assertHeaders`: of a body, and of the quota of every service that a test starts. */
export const problemBody = ({ body }: HttpResponse) => ({
  'content-type': 'application/problem+json',
  'content-length': String(body.length),
  'cache-control': 'no-store',
})
export const jsonBody = ({ body }: HttpResponse) => ({
  'content-type': 'application/json',
  'content-length': String(body.length),
})
export const POLICY = { 'ratelimit-limit': '600', 'ratelimit-policy': '600;w=60' }
export const window = (remaining: number) => ({
  ...POLICY,
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': '60',
})

/**
 * The response is this problem: RFC 9457 with a code and a hint, exactly the members that are promised. If headers are given,
 * it has them and no others.
 */
export const assertProblem = checking((response, status: number, code: string, headers?: Record<string, string>) => {
  if (headers !== undefined) assertHeaders(response, { ...problemBody(response), ...headers })
  assert.equal(response.status, status, response.text)
  assert.equal(response.headers['content-type'], 'application/problem+json')
  assert.match(response.headers['x-request-id'] ?? '', UUID)
  assert.equal(response.headers['content-length'], String(response.body.length))
  const problem = response.json as Record<string, unknown>
  const { title, detail, hint, ...rest } = problem
  for (const text of [title, detail, hint]) assert.ok(typeof text === 'string' && text.length > 5, response.text)
  assert.deepEqual(rest, { type: `/problems/${code}`, status, code })
})

/** On the MCP endpoint a problem also names its occurrence, by the id of the request. */
export const assertMcpProblem: typeof assertProblem = checking((response, status, code, headers) => {
  if (headers !== undefined) assertHeaders(response, { ...problemBody(response), ...headers })
  const { instance, ...problem } = response.json as Record<string, unknown>
  assert.equal(instance, `urn:uuid:${response.headers['x-request-id']}`, response.text)
  assert.equal(response.headers['content-length'], String(response.body.length))
  const body = Buffer.from(JSON.stringify(problem))
  const sent = { ...response.headers, 'content-length': String(body.length) }
  const { asked, ...others } = response
  assertProblem({ ...others, headers: sent, body, json: problem }, status, code)
})

/**
 * The places that requests took in windows of a second, as their RateLimit-Remaining shows. One request between two bursts
 * may have taken a place unseen. However long the bursts took, no more windows were opened than there was time for, each
 * gave every place to one request, and the last one of them gave the whole quota back.
 */
export function assertWholeWindows(
  places: readonly (string | null | undefined)[],
  limit: number,
  elapsedMs: number,
): void {
  const most = 1 + Math.floor(elapsedMs / 1000)
  const counts = Array.from({ length: limit }, (_, place) => places.filter((taken) => Number(taken) === place).length)
  for (const count of counts) assert.ok(count <= most, `${counts} places in at most ${most} windows`)
  assert.ok(places.length > limit, 'the quota never came back')
}
