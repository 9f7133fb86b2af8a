import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace } from '../support/changes.ts'
import { startOperator } from '../support/operator.ts'

test('a workspace rejects confusables in a slug, timezone, currency or country', async (t) => {
  const { store } = await startOperator(t)
  const plain = { name: 'A', slug: 'a' }
  for (const odd of [
    { slug: '\u212Aiosk' },
    { slug: 'Kiosk' },
    { timezone: 'Asia/Bang\u212Aok' },
    { timezone: 'A\u017Fia/Tokyo' },
    { currency: 'S\u0415K' },
    { currency: '\u017Fek' },
    { country: '\uFF27B' },
    { country: 'gb' },
  ])
    await assert.rejects(
      createWorkspace(store, { ...plain, ...odd }, 'test', '2026-11-15T12:00:00.000Z'),
      { name: 'InvalidValueError' },
      JSON.stringify(odd),
    )
})
