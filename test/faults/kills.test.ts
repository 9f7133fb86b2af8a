import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killRepeatedly } from './kills.ts'

test('killed writers, servers, backups and restores leave complete changes, and lose none that was acknowledged', async (t) => {
  const { kills, acknowledged, reads } = await killRepeatedly(t, 10, 9)
  assert.deepEqual(kills, { writer: 7, server: 1, restore: 1, backup: 1 })
  assert.ok(acknowledged >= 16 && reads > 0)
})
