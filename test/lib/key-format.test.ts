import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken, displayToken, hashToken, isToken } from '../../src/lib/key-format.ts'

// Computed by hand from the format: the checksum is CRC-32 of what precedes it, in base62, six digits.
const KNOWN = 'vtr_0000000000000000000000000000000000000000000'

test('a key is vtr_, 43 random characters and a 6-character checksum, and no two are alike', () => {
  const tokens = Array.from({ length: 1000 }, createToken)
  assert.equal(new Set(tokens).size, 1000)
  for (const token of tokens) assert.match(token, /^vtr_[0-9A-Za-z]{49}$/)
})

test('a key passes its own check, and any single changed character fails it', () => {
  const token = createToken()
  assert.equal(isToken(token), true)
  for (let i = 4; i < token.length; i++) {
    const changed = token.slice(0, i) + (token[i] === 'a' ? 'b' : 'a') + token.slice(i + 1)
    assert.equal(isToken(changed), false, `position ${i}`)
  }
})

test('garbage is not accepted as a key', () => {
  for (const text of [
    '',
    'vtr_',
    KNOWN,
    `${KNOWN}000000`,
    createToken().toUpperCase(),
    ` ${createToken()}`,
    `${createToken()}x`,
  ])
    assert.equal(isToken(text), false, text)
})

test('the SHA-256 of the key is stored', () => {
  assert.equal(hashToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('the displayed prefix reveals six characters of the secret', () => {
  assert.equal(displayToken('vtr_abcdefghijkl'), 'vtr_abcdef')
})
