import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networksFault, parseNetworks } from '../../src/keys/networks.ts'

test('networks are kept as written, in lower case, each once', () => {
  const same: [string, string[] | null][] = [
    ['', null],
    [' , ', null],
    ['203.0.113.7', ['203.0.113.7']],
    ['203.0.113.7/24, 203.0.113.7/24\n198.51.100.0/25', ['203.0.113.7/24', '198.51.100.0/25']],
    ['2001:DB8:0:0::1/32 2001:db8:0:0::1/32', ['2001:db8:0:0::1/32']],
    ['0.0.0.0/0,::/0', ['0.0.0.0/0', '::/0']],
  ]
  for (const [text, networks] of same) assert.deepEqual(parseNetworks(text), networks, text)
})

test('anything but addresses with valid prefixes is rejected, and so are more than fifty', () => {
  const wrong = [
    'x',
    '10.0.0.1/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '/8',
    '::1/129',
    '::ffff:10.1.2.3',
    'fe80::1%eth0',
    '010.0.0.1',
  ]
  for (const text of wrong) assert.equal(parseNetworks(`10.0.0.0/8,${text}`), undefined, text)
  const many = Array.from({ length: 51 }, (_, i) => `10.0.${i}.0/24`)
  assert.equal(parseNetworks(many.slice(1).join(','))?.length, 50)
  assert.equal(parseNetworks(many.join(',')), undefined)
})

test('the first entry that is not valid is named, and nothing is if there are only too many', () => {
  assert.match(networksFault('10.0.0.0/8, Nowhere, x'), /^“nowhere” is not an address or a network/)
  assert.doesNotMatch(networksFault('10.0.0.0/8'), /is not/)
})
