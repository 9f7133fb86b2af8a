import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modernHeaders, modernRequest } from '../support/modern-client.ts'
import { type Service, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const FROM_HEADER = `00-${TRACE}-00f067aa0ba902b7-01`
const FROM_BODY = `00-${TRACE}-1111111111111111-00`

/** The line of a request, once it is written. */
async function lineOf({ logLines }: Service, response: Response): Promise<string> {
  const requestId = response.headers.get('x-request-id') ?? ''
  let line: string | undefined
  await waitUntil(async () => {
    line = logLines.find((one) => one.includes(requestId))
    return line !== undefined
  })
  return line ?? ''
}

function discover(service: Service, traceparent: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const message = modernRequest('server/discover')
  const _meta = { ...(message.params as { _meta: object })._meta, traceparent }
  return service.rpc({ ...message, params: { _meta } }, { ...modernHeaders('server/discover'), ...headers }, '/v2/mcp')
}

test("the log line has a request's trace context, from the header or else from the MCP metadata", async (t) => {
  const service = await startService(t)
  const traced = { traceparent: FROM_HEADER }
  const cases: [Response, string | undefined][] = [
    [await service.get('/tasks', traced), FROM_HEADER],
    [await service.get('/nothing', { ...traced, authorization: '' }), FROM_HEADER],
    [await service.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' }, traced), FROM_HEADER],
    [await discover(service, FROM_BODY), FROM_BODY],
    [await discover(service, FROM_BODY, traced), FROM_HEADER],
    [await service.get('/tasks'), undefined],
    [await discover(service, undefined), undefined],
  ]
  for (const [response, expected] of cases) {
    const line = JSON.parse(await lineOf(service, response))
    assert.equal(line.traceparent, expected)
    assert.equal('traceparent' in line, expected !== undefined)
  }
})

test('nothing else that a client sends there is logged', async (t) => {
  const service = await startService(t)
  const { key } = service
  const responses = [
    await service.get('/tasks', { traceparent: key }),
    await service.get('/tasks', { traceparent: `cc-${FROM_HEADER.slice(3)}-${key}` }),
    await service.get('/tasks', { traceparent: `${FROM_HEADER}${key}` }),
    await discover(service, `${FROM_BODY}\n${key}`),
    await discover(service, { traceparent: key }),
  ]
  for (const response of responses) assert.ok(!(await lineOf(service, response)).includes(key.slice(10)))
})
