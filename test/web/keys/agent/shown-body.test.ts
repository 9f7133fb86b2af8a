import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownBody } from '../../../../src/web/keys/agent/agent-view.ts'

const shownJson = (value: unknown) => shownBody(Buffer.from(JSON.stringify(value)))

test('JSON is indented; long lists and texts are cut, and end with how much is missing', () => {
  assert.deepEqual(shownJson({ a: 1, none: {} }), { text: '{\n  "a": 1,\n  "none": {}\n}', isCut: false })
  const { text, isCut } = shownJson({ rows: Array.from({ length: 100 }, (_, id) => ({ id })), text: 'x'.repeat(1300) })
  assert.match(text, /"id": 9\n {4}\},\n {4}"… 90 more"\n {2}\],/)
  assert.match(text, /x … 1,000 more characters"\n\}$/)
  assert.equal(isCut, true)
})

test('the shown part is bounded, whatever the value', () => {
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`name ${i}`, '<'.repeat(500)]))
  for (const { text, isCut } of [shownJson(wide), shownBody(Buffer.from('é'.repeat(50_000)))]) {
    assert.ok(text.length < 8100, `${text.length}`)
    assert.equal(isCut, true)
  }
})

test('a text is never cut within a character', () => {
  assert.ok(shownJson('🧵'.repeat(151).slice(1)).text.isWellFormed())
  assert.ok(shownBody(Buffer.from('🧵'.repeat(5000))).text.isWellFormed())
})

test('a body that is not JSON is shown as is', () => {
  assert.deepEqual(shownBody(Buffer.from('plain <b>')), { text: 'plain <b>', isCut: false })
  assert.deepEqual(shownBody(Buffer.alloc(0)), { text: '', isCut: false })
})
