import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectResponse } from '../../../src/tools/check/expect.ts'
import type { CheckedResponse } from '../../../src/tools/check/http.ts'

const problem = {
  ...{ type: 'https://x.example/problems/not_found', title: 'Not found', status: 404, code: 'not_found' },
  ...{ detail: 'No such path.', hint: 'Check it.' },
}

function textResponse(json: Record<string, unknown>, path: string): CheckedResponse {
  const text = JSON.stringify(json)
  return {
    request: { method: 'GET', path },
    status: 404,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    body: Buffer.from(text),
    text,
    json,
  } as unknown as CheckedResponse
}

test('a problem has exactly the promised members', () => {
  const judge = (json: Record<string, unknown>, path = '/tasks') =>
    expectResponse(textResponse(json, path), { status: 404, code: 'not_found' })
  judge(problem)
  judge({ ...problem, instance: 'urn:x' }, '/v2/mcp')
  const { hint: _, ...short } = problem
  for (const json of [{ ...problem, trace: 'x' }, { ...problem, instance: 'urn:x' }, short, { ...short, trace: 'x' }])
    assert.throws(() => judge(json), /the members type, title/)
  assert.throws(() => judge({ ...problem, trace: 'x' }, '/v2/mcp'), /the members type, title/)
})
