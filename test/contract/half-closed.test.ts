import assert from 'node:assert/strict'
import { startContractService } from '../support/contract-service.ts'
import { openRaw } from '../support/raw.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

/** More than a connection may have pending. */
const COUNT = 40

test('a client that half-closes its connection after its requests gets every response', async (service) => {
  const { url, key, addTasks } = service
  await addTasks([{ id: 'a' }])
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tasks","arguments":{"query":"a"}}}'
  const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`
  for (const request of [
    `GET /tasks HTTP/1.1\r\n${head}\r\n`,
    `POST /mcp HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${call.length}\r\n\r\n${call}`,
  ]) {
    const connection = await openRaw(url)
    connection.write(request.repeat(COUNT))
    connection.socket.end()
    const statuses = (await connection.untilClosed()).map(({ status }) => status)
    assert.deepEqual(statuses, Array(COUNT).fill(200), request)
  }
})
