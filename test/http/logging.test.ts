import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { requestLog } from '../../src/http/logging.ts'

const entry = {
  method: 'GET',
  path: '/tasks',
  status: 200,
  route: {},
  loggedCode: undefined,
  refusalReason: undefined,
  keyId: undefined,
  workspaceId: undefined,
  rpcMethod: undefined,
  toolName: undefined,
  embedded: undefined,
  caller: { address: '::1', agent: undefined },
  ms: 0.5,
  traceparentInBody: undefined,
  header: () => undefined,
}

test('every request is logged immediately, in order and with its response time', () => {
  const lines: string[] = []
  let ms = 0
  const timestamp = () => `,"time":${++ms}`
  const log = pino({ base: null, timestamp }, { write: (line: string) => lines.push(line) })
  ms = 0
  const write = requestLog(log)
  for (const requestId of ['a', 'b']) write({ ...entry, requestId })
  write({ ...entry, requestId: 'c', status: 'gone', path: '/"' })
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
