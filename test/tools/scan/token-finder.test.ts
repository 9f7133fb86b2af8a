import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createToken } from '../../../src/lib/key-format.ts'
import { type FoundToken, tokenFinder } from '../../../src/tools/scan/token-finder.ts'

function search(bytes: Buffer, chunkBytes = bytes.length): FoundToken[] {
  const found: FoundToken[] = []
  const find = tokenFinder((each) => found.push(each))
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    // A reader uses its buffer again.
    const chunk = Buffer.from(bytes.subarray(at, at + chunkBytes))
    find(chunk, at + chunkBytes >= bytes.length)
    chunk.fill(0)
  }
  return found
}

const TOKEN = createToken()
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()

/** How a key stands in a file, and the column at which it is found there. */
const forms: Record<string, [bytes: Buffer, column: number]> = {
  'as it is': [Buffer.from(`key=${TOKEN}`), 5],
  'within a longer run of the same characters': [Buffer.from(`abcvtr_${TOKEN}XYZ123`), 8],
  'in JSON within JSON': [Buffer.from(JSON.stringify(JSON.stringify({ key: TOKEN }))), 13],
  'with its underscore escaped as in JSON': [Buffer.from(`"${TOKEN.replace('_', '\\u005f')}"`), 2],
  'with its underscore escaped as in Markdown': [Buffer.from(`a ${TOKEN.replace('_', '\\_')} b`), 3],
  'with its underscore escaped as in Markdown within JSON': [Buffer.from(`"${TOKEN.replace('_', '\\\\_')}"`), 2],
  'with its underscore escaped as in a URL': [Buffer.from(`?k=${TOKEN.replace('_', '%5F')}&`), 4],
  'with its underscore escaped twice': [Buffer.from(`?k=${TOKEN.replace('_', '%255f')}&`), 4],
  'among the bytes of a binary': [Buffer.concat([Buffer.from([0, 255, 7]), Buffer.from(TOKEN), Buffer.alloc(9)]), 4],
  'in UTF-16': [Buffer.from(`\uFEFFkey ${TOKEN}.`, 'utf16le'), 11],
  'in UTF-16, big endian': [swapped(`\uFEFFkey ${TOKEN}.`), 12],
  'in base64': [Buffer.from(`  key: ${Buffer.from(TOKEN).toString('base64')}`), 8],
  'in base64 after one byte': [Buffer.from(` ${Buffer.from(`x${TOKEN}y`).toString('base64')}`), 2],
  'in base64 after two bytes': [Buffer.from(Buffer.from(`:x${TOKEN}`).toString('base64url')), 1],
  'in base64 after more bytes': [Buffer.from(Buffer.from(`user:${TOKEN}`).toString('base64')), 5],
}

for (const [name, [bytes, column]] of Object.entries(forms))
  test(`a key is found ${name}, once, wherever chunks begin and end`, () => {
    for (let chunkBytes = 1; chunkBytes <= bytes.length; chunkBytes++)
      assert.deepEqual(search(bytes, chunkBytes), [{ token: TOKEN, line: 1, column }], `chunks of ${chunkBytes}`)
  })

test('text in the shape of a key with another checksum is not found, in any form', () => {
  const last = TOKEN.at(-1) === 'a' ? 'b' : 'a'
  const wrong = TOKEN.slice(0, -1) + last
  for (const bytes of [wrong, Buffer.from(wrong).toString('base64'), wrong.replace('_', '%5F'), TOKEN.toLowerCase()])
    assert.deepEqual(search(Buffer.from(bytes)), [])
  assert.deepEqual(search(Buffer.from(wrong, 'utf16le')), [])
  assert.deepEqual(search(Buffer.from(TOKEN.slice(0, -1))), [])
  assert.deepEqual(search(Buffer.from('vtr_'.repeat(1000))), [])
})

test("line and column are the key's, in chunks of any size", () => {
  const [one, other] = [createToken(), createToken()]
  const text = `first\r\n\n  a: ${one} b: ${other}\nüü ${one}\n`
  const expected = [
    { token: one, line: 3, column: 6 },
    { token: other, line: 3, column: 63 },
    { token: one, line: 4, column: 6 },
  ]
  for (const chunkBytes of [1, 2, 7, 50, 53, 54, 105, 106, 107, 1000])
    assert.deepEqual(search(Buffer.from(text), chunkBytes), expected, `chunks of ${chunkBytes}`)
})

test('a hundred keys without anything between them are all found, in one huge line', () => {
  const tokens = Array.from({ length: 100 }, createToken)
  const bytes = Buffer.from(`${'x'.repeat(3_000_000)}${tokens.join('')}${'y'.repeat(100_000)}`)
  assert.deepEqual(
    search(bytes, 1024 * 1024).map(({ token }) => token),
    tokens,
  )
})
