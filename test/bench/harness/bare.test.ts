import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareProgram } from '../../../bench/harness/bare.ts'
import { exchange } from '../../../bench/harness/exchange.ts'
import { startServer } from '../../../bench/harness/server.ts'
import { getWithKey } from '../../../bench/harness/vitrine.ts'
import { skipWithout } from '../../support/installed-program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('the baseline sends a recorded response again, headers and bytes', skipWithout('taskset'), async (t) => {
  const folder = temporaryFolder(t)
  const recorded = {
    status: 200,
    headers: [
      ['Content-Type', 'application/json'],
      ['Content-Length', '2'],
    ] as [string, string][],
    body: Buffer.from('{}'),
    bytes: 0,
  }
  const request = getWithKey('key', '/tasks')
  const server = await startServer(bareProgram(recorded, request, folder), '0', folder)
  t.after(() => server.stop())
  const { status, body } = await exchange(server.port, request)
  assert.deepEqual([status, body.toString()], [200, '{}'])
})
