import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseKeySpec } from '../../src/keys/key-spec.ts'
import { resources } from '../../src/resources/index.ts'

const NOW = Date.parse('2026-11-15T12:00:00.000Z')

test('only what is given is part of a key, and the words for defaults mean none', () => {
  assert.deepEqual(parseKeySpec({}, resources), { spec: {}, faults: [] })
  const text = { label: ' ci ', permissions: ['tasks:read'], rateLimit: '5;w=1', networks: '10.0.0.0/8', only: null }
  const quota = { limit: 5, windowSeconds: 1 }
  const networks = ['10.0.0.0/8']
  const spec = { label: 'ci', permissions: ['tasks:read'], quota, networks, only: null }
  assert.deepEqual(parseKeySpec(text, resources), { spec, faults: [] })
  for (const none of [
    { rateLimit: 'default', networks: 'everywhere', expires: 'never' },
    { rateLimit: null, networks: null, expires: null },
  ])
    assert.deepEqual(parseKeySpec(none, resources), {
      spec: { quota: null, networks: null, expires: null },
      faults: [],
    })
})

test('an expiry is a duration from now, the end of a day in the timezone of the workspace, or an instant', () => {
  const expiryOf = (expires: string) => {
    const at = parseKeySpec({ expires }, resources).spec.expires?.at('Pacific/Auckland', NOW)
    return at === undefined ? undefined : new Date(at).toISOString()
  }
  assert.equal(expiryOf('90d'), '2027-02-13T12:00:00.000Z')
  assert.equal(expiryOf('2026-12-31'), '2026-12-31T11:00:00.000Z')
  assert.equal(expiryOf('2026-12-31T00:00:00+01:00'), '2026-12-30T23:00:00.000Z')
})

test('every fault is named with its member', () => {
  const wrong = {
    label: '',
    permissions: ['task:read'],
    rateLimit: '5',
    networks: 'x',
    expires: 'soon',
    only: ['tasks'],
  }
  const { faults } = parseKeySpec(wrong, resources)
  assert.deepEqual(faults.map(({ field }) => field).sort(), Object.keys(wrong).sort())
  assert.match(faults.find(({ field }) => field === 'permissions')?.problem ?? '', /did you mean tasks:read\?/)
})
