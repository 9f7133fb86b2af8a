import assert from 'node:assert/strict'
import test from 'node:test'
import { exchange, type HttpResponse } from '../support/exchange.ts'
import { openRaw, sendRaw } from '../support/raw.ts'
import { FORM, startConnecting } from './connecting.ts'

const PATHS = ['/oauth/register', '/oauth/revoke', '/oauth/token']

/** What OAuth clients parse (RFC 6749, 5.2). */
function assertFailure(response: HttpResponse, status: number, error: string, description: string) {
  const { headers } = response
  assert.deepEqual(response.json, { error, error_description: description })
  assert.deepEqual(
    [response.status, headers['content-type'], headers['cache-control']],
    [status, 'application/json', 'no-store'],
  )
}

const assertIsProblem = ({ json, headers }: HttpResponse, code: string) =>
  assert.deepEqual([headers['content-type'], (json as { code: string }).code], ['application/problem+json', code])

const typeOf = (path: string) => (path === '/oauth/register' ? 'application/json' : FORM)
const head = (path: string, more = '') => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${typeOf(path)}\r\n${more}`

test('shed load is an OAuth error with Retry-After for programs, and a problem elsewhere', async (t) => {
  const { url, post } = await startConnecting(t, { limits: { requestsInProgress: 31 } })
  for (let i = 0; i < 20; i++) (await openRaw(url)).write(head('/oauth/token', 'Content-Length: 9\r\n\r\n'))
  for (const path of PATHS) {
    const response = await post(path, {})
    const description = 'The server is receiving more requests than it can handle.'
    assertFailure(response, 503, 'temporarily_unavailable', description)
    assert.match(response.headers['retry-after'] ?? '', /^[123]$/)
  }
  assertIsProblem(await exchange(url, '/tasks', {}), 'overloaded')
})

test('an invalid HTTP request gets an OAuth error, if its path is known', async (t) => {
  const { url } = await startConnecting(t)
  const description = 'The request is not well-formed HTTP/1.1.'
  for (const path of [...PATHS, '/oauth/token?x=y'])
    assertFailure(
      await sendRaw(url, head(path, 'Transfer-Encoding: chunked\r\n\r\nzz\r\n')),
      400,
      'invalid_request',
      description,
    )
  const withoutHost = `POST /oauth/token HTTP/1.1\r\nConnection: close\r\n\r\n`
  assertFailure(await sendRaw(url, withoutHost), 400, 'invalid_request', 'The request has no Host header.')
  assertIsProblem(await sendRaw(url, head('/mcp', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n')), 'bad_request')
})

test('a failure is an OAuth error that reveals only the request id, and is logged and counted', async (t) => {
  const { post, operator, logLines } = await startConnecting(t)
  await operator.transaction((tx) => tx.run('ALTER TABLE connection_tokens RENAME TO lost'))
  const response = await post('/oauth/revoke', { token: 'x' })
  const id = response.headers['x-request-id']
  assertFailure(response, 500, 'server_error', `The server failed; the request id is ${id}.`)
  const lines = logLines.map((line) => JSON.parse(line)).filter((line) => line.requestId === id || line.step)
  assert.ok(lines.some(({ step, outcome }) => step === 'revocation' && outcome === 'server_error'))
  assert.ok(lines.some(({ code, status }) => code === 'internal_error' && status === 500))
})
