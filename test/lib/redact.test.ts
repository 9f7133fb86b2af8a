import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken } from '../../src/lib/key-format.ts'
import { decoded, holdsKey, redactTokens } from '../../src/lib/redact.ts'
import { encodings, leakOf } from '../support/key-leaks.ts'

test('a text with keys in it can be logged', () => {
  const token = createToken()
  assert.equal(redactTokens(`/a/${token}/b?k=${token}`), '/a/vtr_[redacted]/b?k=vtr_[redacted]')
})

for (const [name, encode] of Object.entries(encodings))
  test(`a key is redacted ${name}`, () => {
    const token = createToken()
    for (const around of [(key: string) => key, (key: string) => `/files/${key}/x`, (key: string) => `app/1 (${key})`])
      assert.equal(leakOf(redactTokens(around(encode(token))), token), undefined)
  })

test('a text without a key is left unchanged, percent signs and all', () => {
  for (const text of [
    '',
    '/tasks',
    '/100%25-sure/%E2%82%AC?q=%zz%',
    'vtr_abcdef',
    'a-slug-of-more-than-forty-three-characters-in-lower-case',
    '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  ])
    assert.equal(redactTokens(text), text)
})

test('text encoded more deeply than is inspected is redacted completely', () => {
  const layered = layers('v', 12)
  assert.equal(decoded(layered), undefined)
  assert.equal(redactTokens(`/${layered}tr_`), '[redacted]')
  assert.equal(decoded(layers('v', 3)), 'v')
})

/** A character in this many layers, each of which takes one round to decode. */
function layers(character: string, depth: number): string {
  const encode = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')
  let layered = encode(character)
  // Only the last digit is encoded again, so that the text does not grow three times with each layer.
  for (let i = 1; i < depth; i++) layered = layered.slice(0, -1) + encode(layered.slice(-1))
  return layered
}

test('a key in a text is found, and its display prefix is not a key', () => {
  const token = createToken()
  assert.equal(holdsKey(`the old ${token}`), true)
  assert.equal(holdsKey(`the old %76tr_${token.slice(4)}`), true)
  assert.equal(holdsKey(`the old ${token.slice(0, 10)}`), false)
})
