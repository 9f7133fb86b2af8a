import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpResponse } from '../../src/api/http-message.ts'
import { logRequest } from '../../src/http/logging.ts'
import type { HttpRequest } from '../../src/http/request.ts'
import { recordOf } from '../../src/http/request-record.ts'
import { Logger } from '../../src/lib/logger.ts'

const RESPONSE = { status: 200, headers: [], body: [] }

function ended({ requestId = 'c', path = '/tasks', response }: Fields) {
  const caller = { address: '::1', agent: undefined }
  const request = { requestId, method: 'GET', path, caller, startedAt: performance.now(), header: () => undefined }
  const route = { name: 'not_found', page: undefined, headers: [], isForApi: true } as const
  return recordOf(request as unknown as HttpRequest, { route, response })
}

interface Fields {
  requestId?: string
  path?: string
  response: HttpResponse | undefined
}

test('every request is logged immediately, in order and with its response time', () => {
  const lines: string[] = []
  let ms = 0
  const log = new Logger({ write: (line) => lines.push(line) }, 'info', () => ++ms)
  for (const requestId of ['a', 'b']) logRequest(log, ended({ requestId, response: RESPONSE }))
  logRequest(log, ended({ path: '/"', response: undefined }))
  const expected = { level: 30, method: 'GET', path: '/tasks', status: 200, client: '::1' }
  assert.deepEqual(
    lines.map((line) => {
      assert.ok(line.endsWith('}\n'))
      const { ms: duration, ...rest } = JSON.parse(line)
      assert.equal(typeof duration, 'number')
      return rest
    }),
    [
      { ...expected, time: '1970-01-01T00:00:00.001Z', requestId: 'a' },
      { ...expected, time: '1970-01-01T00:00:00.002Z', requestId: 'b' },
      { ...expected, time: '1970-01-01T00:00:00.003Z', requestId: 'c', status: 'gone', path: '/"' },
    ],
  )
})
