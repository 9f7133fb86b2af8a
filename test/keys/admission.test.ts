import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerToken, carriesToken, createKeyGate } from '../../src/keys/admission.ts'

test('the scheme is Bearer in any ASCII case, and nothing that looks like it', () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) assert.equal(bearerToken(`${scheme} x`), 'x')
  for (const scheme of ['\u0412earer', 'Bea\uFF52er', 'Bearer\u00A0'])
    assert.equal(bearerToken(`${scheme} x`), undefined)
  assert.deepEqual([undefined, 'Basic x', 'Bearer x'].map(carriesToken), [false, false, true])
})

test('a missing header is told apart from one of another form', () => {
  const gate = createKeyGate({ recheck: async () => undefined }, true)
  const read = (authorization: string | undefined) => () =>
    gate.readKey({ authorization, caller: { address: undefined, agent: undefined }, connection: {} })
  assert.throws(read(undefined), { refusal: { reason: 'missing' }, message: /has no Authorization header/ })
  assert.throws(read('Basic eA=='), { refusal: { reason: 'missing' }, message: /does not have the form/ })
  assert.throws(read('Bearer vtr_x'), { refusal: { reason: 'damaged' } })
})
