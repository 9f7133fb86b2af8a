import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOutBody, layOutJson } from '../../../src/web/keys/agent/responses.ts'

test('JSON is laid out as people indent it, with short lists on one line', () => {
  const { text, isCut } = layOutJson({ a: 1, names: ['x', 'y'], rows: [{ b: null }, []], none: {}, yes: true })
  assert.equal(
    text,
    `{
  "a": 1,
  "names": ["x", "y"],
  "rows": [
    {
      "b": null
    },
    []
  ],
  "none": {},
  "yes": true
}`,
  )
  assert.equal(isCut, false)
})

test('long lists and texts are cut, and say how much is missing', () => {
  const { text, isCut } = layOutJson({ rows: Array.from({ length: 100 }, (_, id) => ({ id })), text: 'x'.repeat(1300) })
  assert.match(text, /"id": 9\n {4}\},\n {4}… 90 more\n {2}\],/)
  assert.match(text, /x" … 1,000 more characters\n\}$/)
  assert.equal(isCut, true)
})

test('what is shown is bounded, whatever the value', () => {
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`name ${i}`, '<'.repeat(500)]))
  for (const { text, isCut } of [
    layOutJson(wide),
    layOutBody(Buffer.from(JSON.stringify(wide))),
    layOutBody(Buffer.from('é'.repeat(50_000))),
  ]) {
    assert.ok(text.length < 8100, `${text.length}`)
    assert.equal(isCut, true)
  }
})

test('a text is never cut within a character', () => {
  const { text } = layOutJson('🧵'.repeat(151).slice(1))
  assert.ok(text.isWellFormed())
  const odd = layOutBody(Buffer.from('🧵'.repeat(5000)))
  assert.ok(odd.text.isWellFormed())
})

test('what is no JSON is shown as it is', () => {
  assert.deepEqual(layOutBody(Buffer.from('plain <b>')), { text: 'plain <b>', isCut: false })
  assert.deepEqual(layOutBody(Buffer.alloc(0)), { text: '', isCut: false })
})
