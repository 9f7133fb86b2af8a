import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin } from '../../src/lib/cidr.ts'

test('an address is within a network with the same first bits, whatever the other bits', () => {
  const samples: [networks: string, inside: string[], outside: string[]][] = [
    ['10.0.0.0/8', ['10.255.0.1'], ['11.0.0.0', '9.255.255.255']],
    ['203.0.113.200/25', ['203.0.113.128', '203.0.113.255'], ['203.0.113.127']],
    ['198.51.100.7', ['198.51.100.7'], ['198.51.100.8']],
    ['2001:db8::5/33', ['2001:db8:7fff::1'], ['2001:db8:8000::', '2001:db9::']],
    ['::1', ['::1'], ['::2']],
    ['fe80::/10', ['fe80::1%eth0'], ['fec0::1']],
    ['::/0', ['2001:db8::1'], ['10.2.3.4']],
    ['0.0.0.0/0', ['10.2.3.4'], ['2001:db8::1']],
    ['junk,10.0.0.0/8', ['10.0.0.1'], ['11.0.0.1']],
    ['0.0.0.0/0,::/0', [], ['', 'unknown', '10.0.0']],
    ['', [], ['10.0.0.1', '']],
    ['junk', [], ['10.0.0.1']],
  ]
  for (const [networks, inside, outside] of samples) {
    for (const address of inside) assert.ok(isWithin(networks, address), `${address} in ${networks}`)
    for (const address of outside) assert.ok(!isWithin(networks, address), `${address} not in ${networks}`)
    assert.ok(!isWithin(networks, undefined))
  }
})
