import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import { isWithin, parseNetworks } from '../../src/lib/cidr.ts'

test('networks are normalised: host bits cleared, one notation, each once', () => {
  const same: [string, string[] | null][] = [
    ['', null],
    [' , ', null],
    ['203.0.113.7', ['203.0.113.7/32']],
    ['203.0.113.7/24, 203.0.113.0/24\n198.51.100.0/25', ['203.0.113.0/24', '198.51.100.0/25']],
    ['2001:DB8:0:0::1/32', ['2001:db8::/32']],
    ['1:2:3:4:5:6:7:8/64', ['1:2:3:4::/64']],
    ['::ffff:10.1.2.3/104 ::ffff:a01:203', ['10.0.0.0/8', '10.1.2.3/32']],
    ['0.0.0.0/0,::/0', ['0.0.0.0/0', '::/0']],
  ]
  for (const [text, networks] of same) assert.deepEqual(parseNetworks(text), networks, text)
})

test('whatever is not an address with a prefix that fits is refused, and so are more than fifty', () => {
  const wrong = [
    'x',
    '10.0.0.1/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '/8',
    '::1/129',
    '::ffff:0:0/95',
    'fe80::1%eth0',
    '010.0.0.1',
  ]
  for (const text of wrong) assert.equal(parseNetworks(`10.0.0.0/8,${text}`), undefined, text)
  const many = Array.from({ length: 51 }, (_, i) => `10.0.${i}.0/24`)
  assert.equal(parseNetworks(many.slice(1).join(','))?.length, 50)
  assert.equal(parseNetworks(many.join(',')), undefined)
})

test('an address is within what the BlockList of Node.js says it is', () => {
  const samples: [string, string[]][] = [
    ['10.0.0.0/8', ['10.255.0.1', '11.0.0.0', '9.255.255.255']],
    ['203.0.113.128/25', ['203.0.113.127', '203.0.113.128', '203.0.113.255']],
    ['198.51.100.7/32', ['198.51.100.7', '198.51.100.8']],
    ['2001:db8::/33', ['2001:db8:7fff::1', '2001:db8:8000::', '2001:db9::']],
    ['::1/128', ['::1', '::2']],
  ]
  for (const [network, addresses] of samples) {
    const [base = '', prefix] = network.split('/')
    const family = base.includes(':') ? 'ipv6' : 'ipv4'
    const list = new BlockList()
    list.addSubnet(base, Number(prefix), family)
    for (const address of addresses)
      assert.equal(isWithin(network, address), list.check(address, family), `${address} in ${network}`)
  }
})

test('IPv4 in IPv6 notation is IPv4, a zone is ignored, and what cannot be parsed matches nothing', () => {
  assert.ok(isWithin('10.0.0.0/8,2001:db8::/32', '::ffff:10.2.3.4'))
  assert.ok(isWithin('fe80::/10', 'fe80::1%eth0'))
  assert.ok(!isWithin('::/0', '10.2.3.4'), 'the other family')
  assert.ok(!isWithin('0.0.0.0/0', '2001:db8::1'), 'the other family')
  for (const address of [undefined, '', 'unknown', '10.0.0']) assert.ok(!isWithin('0.0.0.0/0,::/0', address))
  assert.ok(isWithin('junk,10.0.0.0/8', '10.0.0.1'))
  for (const networks of ['', 'junk']) assert.ok(!isWithin(networks, '10.0.0.1'))
})
