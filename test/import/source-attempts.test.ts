// On both engines: locks are each engine’s own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listSources } from '../../src/import/sources.ts'
import { currentTasks } from '../../src/resources/tasks/list.ts'
import { atTime } from '../support/at-time.ts'
import { recordFailure } from '../support/changes.ts'
import { startSyncing } from './syncing.ts'

const at = (minute: number) => `2026-11-15T12:${String(minute).padStart(2, '0')}:00.000Z`
const attempt = { workspace: 'acme', source: 'tracker', location: 'x.json' }

async function start(t: Parameters<typeof startSyncing>[0]) {
  const syncing = await startSyncing(t)
  const { store, workspace } = syncing
  return {
    ...syncing,
    atMinute: (minute: number) => atTime(store, () => Date.parse(at(minute))),
    sources: async () => (await store.read((tx) => listSources(tx, workspace.id))).map((source) => ({ ...source })),
  }
}

test('a failure is stored on one line, truncated, and without a key', async (t) => {
  const { atMinute, sources } = await start(t)
  const repeated = { ...attempt, everySeconds: 60, location: '🙂'.repeat(600) }
  const kept = async (message: string) => {
    await recordFailure(atMinute(10), currentTasks, repeated, message)
    return (await sources())[0]?.failure
  }
  assert.equal(await kept(`a\r\nb\u2028c\0d \ud800 vtr_${'a1B'.repeat(16)} `), 'a b c d \ufffd vtr_[redacted]')
  assert.equal(await kept('🙂'.repeat(501)), `${'🙂'.repeat(499)}…`)
  assert.equal((await sources())[0]?.location, `${'🙂'.repeat(499)}…`)
})
