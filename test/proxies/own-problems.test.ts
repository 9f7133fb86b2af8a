import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { catalogue } from '../../src/problems/catalogue.ts'
import { hasOpenssl } from '../support/certificates.ts'
import { skipWithout } from '../support/installed-program.ts'
import { freePort } from '../support/listen.ts'
import { documentedConfiguration, proxyNames, type RunningProxy, startProxy } from './proxies.ts'

for (const name of proxyNames)
  test(`${name}'s own responses are problems of the catalogue`, () => {
    const bodies = [...documentedConfiguration(name).matchAll(/\{"type".*?\}/g)].map(([text]) => JSON.parse(text))
    assert.ok(bodies.length > 0)
    for (const { detail, hint, ...rest } of bodies) {
      const { status, title } = catalogue[rest.code as keyof typeof catalogue]
      assert.deepEqual(rest, { type: `/problems/${rest.code}`, title, status, code: rest.code })
      assert.ok(detail.length > 5 && hint.length > 5)
    }
  })

/** The response to these bytes: up to the end of its problem, or until the server closes. */
function responseTo({ url, caFile }: RunningProxy, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ca: readFileSync(caFile) })
    let text = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
      if (text.endsWith('}')) socket.destroy()
    })
    socket.on('error', reject).on('close', () => resolve(text))
    socket.write(bytes)
  })
}

const skip = hasOpenssl ? skipWithout('nginx') : { skip: 'no openssl' }

test('nginx responds with a problem to what it does not pass on', skip, async (t) => {
  const proxy = await startProxy('nginx', [await freePort()])
  t.after(() => proxy.stop())
  for (const [bytes, status, code] of [
    ['NONSENSE\r\n\r\n', 400, 'bad_request'],
    ['GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'bad_request'],
    [`GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'headers_too_large'],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 405, 'method_not_allowed'],
    ['POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n', 400, 'payload_too_large'],
  ] as const) {
    const response = await responseTo(proxy, bytes)
    assert.match(response, new RegExp(`^HTTP/1.1 ${status} [^]*Content-Type: application/problem\\+json\\r\\n`), bytes)
    assert.match(response, new RegExp(`"status":${status},"code":"${code}"`))
  }
})
