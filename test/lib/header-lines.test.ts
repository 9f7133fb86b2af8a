import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerLines } from '../../src/lib/header-lines.ts'

test('a header that could end its line is rejected', () => {
  assert.equal(headerLines(['Deprecation', '@1', 'Sunset', 'then']), 'Deprecation: @1\r\nSunset: then\r\n')
  assert.throws(() => headerLines(['Link', 'a\r\nSet-Cookie: b']))
  assert.throws(() => headerLines(['Li nk', 'a']))
})
