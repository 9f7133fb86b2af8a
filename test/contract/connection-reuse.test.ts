import assert from 'node:assert/strict'
import test from 'node:test'
import { startContractService } from '../support/contract-service.ts'
import { openRaw } from '../support/raw.ts'

const get = (...lines: string[]) => `GET /workspace HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`

test('each request of a connection is judged by the key that it carries itself', async (t) => {
  const { url, key, createKey, keys } = await startContractService(t)
  const revoked = await createKey()
  const other = await createKey({ quota: { limit: 7, windowSeconds: 60 } })
  // Another last character than its own, whatever that is: the checksum does not fit.
  const broken = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')
  const connection = await openRaw(url)
  const ask = async (...lines: string[]) => {
    connection.write(get(...lines))
    const { status, headers } = await connection.next()
    return `${status} ${headers['ratelimit-limit']}`
  }
  for (let round = 0; round < 3; round++) {
    assert.equal(await ask(`Authorization: Bearer ${key}`), '200 600')
    assert.equal(await ask(`Authorization: Bearer ${other.token}`), '200 7')
    assert.equal(await ask(`Authorization: Bearer ${broken}`), '401 600')
    assert.equal(await ask(), '401 600')
    assert.equal(await ask(`Authorization: Bearer ${revoked.token}`), round === 0 ? '200 600' : '401 600')
    if (round === 0) await keys.revoke(revoked.id)
  }
  connection.socket.destroy()
})

test('a request with two keys is 401', async (t) => {
  const { url, key } = await startContractService(t)
  const connection = await openRaw(url)
  connection.write(get(`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`))
  assert.equal((await connection.next()).status, 401)
  connection.socket.destroy()
})

test('a body may come in any number of pieces', async (t) => {
  const { url, key } = await startContractService(t)
  const connection = await openRaw(url)
  connection.socket.setNoDelay()
  const body = '{"jsonrpc":"2.0","id":"é","method":"ping"}'
  const head = `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const whole = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  const bodyAt = whole.length - Buffer.byteLength(body)
  for (const cut of [bodyAt, bodyAt + 1, whole.length - 20, whole.length - 1]) {
    connection.write(whole.subarray(0, cut))
    await new Promise((resolve) => setTimeout(resolve, 20))
    connection.write(whole.subarray(cut))
    assert.equal((await connection.next()).text, '{"jsonrpc":"2.0","id":"é","result":{}}')
  }
  connection.write(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const rest = Buffer.from(body).subarray(1)
  connection.write(Buffer.concat([Buffer.from(`${rest.length.toString(16)}\r\n`), rest, Buffer.from('\r\n0\r\n\r\n')]))
  assert.equal((await connection.next()).text, '{"jsonrpc":"2.0","id":"é","result":{}}')
  connection.write(`${head}\r\n`)
  assert.match((await connection.next()).text, /The body is empty/)
  connection.socket.destroy()
})
