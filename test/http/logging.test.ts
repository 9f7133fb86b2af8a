import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { requestLog } from '../../src/http/logging.ts'
import { RequestRecord } from '../../src/http/request-record.ts'

const header = () => undefined
const response = { status: 200, headers: [], body: [] }

function requestOf(fields: { requestId: string } & Partial<Pick<RequestRecord, 'path' | 'response'>>) {
  const record = new RequestRecord('GET', { address: '::1', agent: undefined })
  return Object.assign(record, { path: '/tasks', response, header, ...fields })
}

test('every request is logged immediately, in order and with its response time', () => {
  const lines: string[] = []
  let ms = 0
  const timestamp = () => `,"time":${++ms}`
  const log = pino({ base: null, timestamp }, { write: (line: string) => lines.push(line) })
  ms = 0
  const write = requestLog(log)
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
      { ...expected, time: 1, requestId: 'a' },
      { ...expected, time: 2, requestId: 'b' },
      { ...expected, time: 3, requestId: 'c', status: 'gone', path: '/"' },
    ],
  )
})
