import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { requestLog } from '../../src/http/logging.ts'

const entry = {
  method: 'GET',
  path: '/tasks',
  status: 200,
  keyId: undefined,
  client: '::1',
  startedAt: 0,
  traceparent: undefined,
}

test('every request of a tick has its line at the end of the tick, in order and with the time of its answer', async () => {
  const lines: string[] = []
  let ms = 0
  const timestamp = () => `,"time":${++ms}`
  const log = pino({ base: null, timestamp }, { write: (line: string) => lines.push(line) })
  ms = 0
  const write = requestLog(log)
  for (const requestId of ['a', 'b']) write({ ...entry, requestId })
  assert.equal(lines.length, 0)
  await setImmediate()
  write({ ...entry, requestId: 'c', status: 'gone', path: '/"' })
  await setImmediate()
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
