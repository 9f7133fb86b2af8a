import assert from 'node:assert/strict'
import type { Answer } from './exchange.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Headers that HTTP itself adds, and whose values say nothing of the operation. */
const TRANSPORT = ['connection', 'date', 'keep-alive']

/** The answer has these headers and no other, besides those of HTTP itself and a fresh X-Request-Id. */
export function assertHeaders(answer: Answer, expected: Record<string, string>): void {
  const sent = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !TRANSPORT.includes(name)))
  assert.match(sent['x-request-id'] ?? '', UUID)
  delete sent['x-request-id']
  assert.deepEqual(sent, expected)
}

/** The answer is this problem: RFC 9457 with a code and a hint, exactly the members that are promised. */
export function assertProblem(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers['content-type'], 'application/problem+json')
  assert.match(answer.headers['x-request-id'] ?? '', UUID)
  assert.equal(answer.headers['content-length'], String(answer.body.length))
  const problem = answer.json as Record<string, unknown>
  const { title, detail, hint, ...rest } = problem
  for (const text of [title, detail, hint]) assert.ok(typeof text === 'string' && text.length > 5, answer.text)
  assert.deepEqual(rest, { type: `/problems/${code}`, status, code })
}

/** On the MCP endpoint a problem also names its occurrence, by the id of the request. */
export function assertMcpProblem(answer: Answer, status: number, code: string): void {
  const { instance, ...problem } = answer.json as Record<string, unknown>
  assert.equal(instance, `urn:uuid:${answer.headers['x-request-id']}`, answer.text)
  assert.equal(answer.headers['content-length'], String(answer.body.length))
  const body = Buffer.from(JSON.stringify(problem))
  const headers = { ...answer.headers, 'content-length': String(body.length) }
  assertProblem({ ...answer, headers, body, json: problem }, status, code)
}
