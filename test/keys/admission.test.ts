import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerToken } from '../../src/keys/admission.ts'

test('the scheme is Bearer in any ASCII case, and nothing that looks like it', () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) assert.equal(bearerToken(`${scheme} x`), 'x')
  for (const scheme of ['\u0412earer', 'Bea\uFF52er', 'Bearer\u00A0'])
    assert.equal(bearerToken(`${scheme} x`), undefined)
})
