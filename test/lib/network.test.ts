import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from '../../src/lib/network.ts'

const cases: [address: string, network: string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['2001:0:0:2::', '2001:0:0:2::/64'],
  ['2001::2:3:4:5:6', '2001:0:0:2::/64'],
]
for (const [address, network] of cases)
  test(`${address} is counted as ${network}`, () => assert.equal(networkOf(address), network))
