import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestLog } from '../../src/http/logging.ts'
import { RequestRecord } from '../../src/http/request-record.ts'
import { Logger } from '../../src/lib/logger.ts'

const header = () => undefined
const response = { status: 200, headers: [], body: [] }

function requestOf(fields: { requestId: string } & Partial<Pick<RequestRecord, 'path' | 'response'>>) {
  const record = new RequestRecord('GET', { address: '::1', agent: undefined })
  return Object.assign(record, { path: '/tasks', response, header, ...fields })
}

test('every request is logged immediately, in order and with its response time', () => {
  const lines: string[] = []
  let ms = 0
  const write = requestLog(new Logger({ write: (line) => lines.push(line) }, 'info', () => ++ms))
  for (const requestId of ['a', 'b']) write(requestOf({ requestId }))
  write(requestOf({ requestId: 'c', response: undefined, path: '/"' }))
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
