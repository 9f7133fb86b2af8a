/** A thread that receives a body of 400,000 chunks of one byte, and posts whether it is whole. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { parentPort } from 'node:worker_threads'
import { HttpRequest } from '../../src/http/request.ts'
import { Logger } from '../../src/lib/logger.ts'

const MAX_BYTES = 1024 * 1024
const CHUNKS = 400_000

const server = createServer(async (req, res) => {
  const request = new HttpRequest(req, res, 0, new Logger({ write() {} }, 'silent'))
  await request.hasArrived()
  const body = await request.body(MAX_BYTES, () => new Error('too large'))
  parentPort?.postMessage(body.equals(Buffer.alloc(CHUNKS, 'a')))
  res.end()
  server.close()
  server.closeAllConnections()
})
server.listen(0, '127.0.0.1', () => {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  client.write(`${'1\r\na\r\n'.repeat(CHUNKS)}0\r\n\r\n`)
})
