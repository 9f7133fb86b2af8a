import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { isPublicAddress, publicLookup } from '../../src/lib/public-address.ts'

const notPublic: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'unique local': ['fc00::1', 'fd00:ec2::254'],
  'link-local': ['169.254.169.254', 'fe80::1', 'fe80::1%1', 'febf::1'],
  'site-local': ['fec0::1'],
  'shared by a carrier': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved or broadcast': ['240.0.0.1', '255.255.255.255', '192.0.0.8', '192.88.99.1'],
  'for benchmarks': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'for documentation': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
  'IPv4-compatible': ['::127.0.0.1', '::8.8.8.8'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1'],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1'],
  Teredo: ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'discarded or unassigned': ['100::1', '5f00::1', '4000::1', 'e000::1'],
  'no address': ['', 'localhost', '127.1', '0x7f.0.0.1', '2130706433', '8.8.8.8 ', '[::1]', '8.8.8.8/32'],
}

for (const [kind, addresses] of Object.entries(notPublic))
  test(`an address that is ${kind} is not public`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
  })

test('other addresses are public, up to the edges of those ranges', () => {
  const edges = [
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
  ]
  const others = [
    '1.1.1.1',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '2001:200::1',
    '3ffe::1',
  ]
  for (const address of [...edges, ...others]) assert.equal(isPublicAddress(address), true, address)
})

function look(found: string[] | Error, all: boolean): Promise<string | LookupAddress[]> {
  const resolve = async () => {
    if (found instanceof Error) throw found
    return found
  }
  return new Promise((done, fail) =>
    publicLookup(resolve)('client.example', { all }, (error, address) => (error ? fail(error) : done(address))),
  )
}

test('a look-up returns the addresses that were checked', async () => {
  assert.equal(await look(['1.1.1.1', '2606:4700::1111'], false), '1.1.1.1')
  assert.deepEqual(await look(['2606:4700::1111', '1.1.1.1'], true), [
    { address: '2606:4700::1111', family: 6 },
    { address: '1.1.1.1', family: 4 },
  ])
})

test('a look-up returns no address if one is not public, there is none, or the resolver fails', async () => {
  for (const found of [['1.1.1.1', '127.0.0.1'], ['fe80::1%eth0', '1.1.1.1'], [], new Error('SERVFAIL')])
    for (const all of [true, false])
      await assert.rejects(look(found, all), { code: 'ENOTFOUND', message: 'no public address' })
})
