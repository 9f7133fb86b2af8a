import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyPage } from '../../../src/web/keys/create/create.ts'
import { createKeyModel } from '../../support/sample-models.ts'
import { samplePages } from '../../support/sample-pages.ts'

test('a form with errors comes back with what was typed', () => {
  const values = {
    label: 'Mine',
    permissions: ['tasks:read'],
    expiry: 'custom',
    expiryDate: '2020-01-01',
    rateLimit: 'x',
    rateWindow: '7',
  } as const
  const page = createKeyPage({
    ...createKeyModel,
    values: { ...values, permissions: [...values.permissions] },
    errors: { rateLimit: 'Must be a whole number from 1.' },
  })
  for (const text of ['value="Mine"', 'value="2020-01-01"', 'value="x"', 'value="7"', 'value="custom" checked'])
    assert.ok(page.includes(text), text)
  assert.match(page, /value="tasks:read" checked/)
  assert.doesNotMatch(page, /value="workspace:read" checked/)
  assert.match(page, /aria-describedby="rateLimit-hint rateLimit-error" aria-invalid="true"/)
  assert.ok(page.includes('<a href="#rateLimit">Must be a whole number from 1.</a>'))
})

test('every form that changes something carries the session’s token', () => {
  for (const [name, page] of Object.entries(samplePages))
    for (const [form] of page().matchAll(/<form[^>]*method="post".*?<\/form>/gs))
      assert.match(form, /<input type="hidden" name="csrf" value="[^"]+">/, name)
})

test('the key is on the page that shows it, and on no other', () => {
  for (const [name, page] of Object.entries(samplePages))
    assert.equal(page().includes('vtr_SAMPLE'), name.startsWith('created'), name)
})
