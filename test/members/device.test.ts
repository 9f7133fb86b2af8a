import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceOf } from '../../src/members/device.ts'

const EDGE = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0'
const SAFARI = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1'

test('a session is named after its browser, system and network, as far as they are known', () => {
  assert.equal(deviceOf({ agent: EDGE, address: '203.0.113.7' }), 'Edge on Windows, 203.0.113.0/24')
  assert.equal(deviceOf({ agent: SAFARI, address: '2001:db8:1:2::7' }), 'Safari on iOS, 2001:db8:1:2::/64')
  assert.equal(deviceOf({ agent: 'Firefox/140.0' }), 'Firefox')
  assert.equal(deviceOf({}), 'Unknown browser')
})
