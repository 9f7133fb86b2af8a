import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplePages } from '../../support/sample-pages.ts'

test('every form that changes something carries the session’s token', () => {
  // Its link is enough, also for a mail program that sends no cookies.
  for (const [name, page] of Object.entries(samplePages))
    for (const [form] of name === 'unsubscribe' ? [] : page().matchAll(/<form[^>]*method="post".*?<\/form>/gs))
      assert.match(form, /<input type="hidden" name="csrf" value="[^"]+">/, name)
})

test('the key is on the page that shows it, and on no other', () => {
  for (const [name, page] of Object.entries(samplePages))
    assert.equal(page().includes('vtr_SAMPLE'), name.startsWith('created'), name)
})
