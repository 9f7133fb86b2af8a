import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { canonical, clientAddress } from '../../src/http/client-address.ts'
import { exchange } from '../support/exchange.ts'
import { listen } from '../support/listen.ts'
import { startService } from '../support/service.ts'

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

for (const garbage of [
  '',
  'unknown',
  '_hidden',
  '203.0.113',
  '203.0.113.256',
  '0203.0.113.7',
  '203.0.113.7:',
  '203.0.113.7:123456',
  '[203.0.113.7]:80',
  '[2001:db8::1',
  '2001:db8::1]:443',
  '2001:db8::1::2',
  ':::',
  '1:2',
  '0x7f.1',
  '2130706433',
  'localhost',
  '203.0.113.7 203.0.113.8',
  '２０３.0.113.7',
  '<script>',
  `vtr_${'x'.repeat(49)}`,
])
  test(`${JSON.stringify(garbage)} is not an address`, () => assert.equal(canonical(garbage), undefined))

test('however many spellings arrive, each is parsed correctly', () => {
  for (let i = 0; i < 3000; i++) {
    assert.equal(canonical(`[2001:DB8::${i.toString(16)}]:${i}`), `2001:db8::${i === 0 ? '' : i.toString(16)}`)
    assert.equal(canonical(`nobody-${i}`), undefined)
  }
  assert.equal(canonical(`fe80::1%${'x'.repeat(100)}`), undefined)
})

const CALLER = '127.0.0.1'
const forwarded: [proxies: string, header: string | string[] | undefined, client: string][] = [
  ['0', '203.0.113.7', CALLER],
  ['1', undefined, CALLER],
  ['1', '203.0.113.7', '203.0.113.7'],
  ['1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['1', '198.51.100.1,203.0.113.7:4711', '203.0.113.7'],
  ['1', ['198.51.100.1', '203.0.113.7'], '203.0.113.7'],
  ['2', '198.51.100.1, 203.0.113.7', '198.51.100.1'],
  ['2', '192.0.2.1, 198.51.100.1, [2001:DB8::7]:80', '198.51.100.1'],
  ['2', '203.0.113.7', '203.0.113.7'],
  ['1', '203.0.113.7, unknown', CALLER],
  ['2', 'garbage, 203.0.113.7', CALLER],
  ['1', ' , ,', CALLER],
  ['1', '203.0.113.7, ', '203.0.113.7'],
]
for (const [proxies, header, client] of forwarded)
  test(`with TRUST_PROXY=${proxies} and X-Forwarded-For ${JSON.stringify(header)} the caller is ${client}`, async (t) => {
    const service = await startService(t, { env: { TRUST_PROXY: proxies } })
    await exchange(service.url, '/tasks', { headers: header === undefined ? {} : { 'x-forwarded-for': header } })
    assert.deepEqual(
      service.logLines.map((line) => JSON.parse(line).client),
      [client],
    )
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
