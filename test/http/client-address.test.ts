import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { canonical, clientAddress } from '../../src/http/client-address.ts'
import { exchange } from '../support/exchange.ts'
import { listen } from '../support/listen.ts'

const spellings: [written: string, address: string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:5678', '203.0.113.7'],
  ['"203.0.113.7:5678"', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['::ffff:0:cb00:7107', '::ffff:0:cb00:7107'],
  ['::cb00:7107', '::203.0.113.7'],
  ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['2001:db8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['"[2001:db8::1]:443"', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
  ['[fe80::1%eth0]:80', 'fe80::1'],
]
for (const [written, address] of spellings)
  test(`${written} is the address ${address}`, () => assert.equal(canonical(written), address))

const garbage =
  'unknown _hidden 203.0.113 203.0.113.256 0203.0.113.7 203.0.113.7: 203.0.113.7:123456 [203.0.113.7]:80 [2001:db8::1 2001:db8::1]:443 ' +
  '2001:db8::1::2 ::: 1:2 0x7f.1 2130706433 localhost ２０３.0.113.7 <script>'
test('anything else is not an address', () => {
  for (const text of ['', '203.0.113.7 203.0.113.8', `fe80::1%${'x'.repeat(100)}`, ...garbage.split(' ')])
    assert.equal(canonical(text), undefined, text)
})

const CALLER = '127.0.0.1'
const forwarded: [proxies: number, header: string | undefined, client: string][] = [
  [0, '203.0.113.7', CALLER],
  [1, undefined, CALLER],
  [1, '203.0.113.7', '203.0.113.7'],
  [1, '198.51.100.1,203.0.113.7:4711', '203.0.113.7'],
  [2, '198.51.100.1, 203.0.113.7', '198.51.100.1'],
  [2, '192.0.2.1, 198.51.100.1, [2001:DB8::7]:80', '198.51.100.1'],
  [2, '203.0.113.7', '203.0.113.7'],
  [1, '203.0.113.7, unknown', CALLER],
  [2, 'garbage, 203.0.113.7', CALLER],
  [1, ' , ,', CALLER],
  [1, '203.0.113.7, ', '203.0.113.7'],
]
test('the caller is the address that the outermost trusted proxy saw', () => {
  for (const [proxies, header, client] of forwarded) {
    const req = { headers: { 'x-forwarded-for': header }, socket: { remoteAddress: CALLER } }
    assert.equal(clientAddress(req as unknown as IncomingMessage, proxies), client, `${proxies}: ${header}`)
  }
})

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ family }) => family === 'IPv6'))
test('on a dual-stack socket, an IPv4 caller has an IPv4 address', {
  skip: !hasIpv6 && 'no IPv6',
}, async (t) => {
  const server = createServer((req, res) => res.end(clientAddress(req, 0)))
  const port = await listen(server, '::')
  t.after(() => server.close())
  assert.equal((await exchange(`http://127.0.0.1:${port}`, '/')).text, '127.0.0.1')
})
