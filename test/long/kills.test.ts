import { test } from 'node:test'
import { killRepeatedly } from '../faults/kills.ts'

test('1,000 processes are killed at any moment, and nothing acknowledged is lost', async (t) => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
  t.diagnostic(`seed ${seed}`)
  const { kills, acknowledged, reads } = await killRepeatedly(t, Number(process.env.KILLS ?? 1000), seed)
  t.diagnostic(`kills ${JSON.stringify(kills)}, acknowledged changes ${acknowledged}, reads ${reads}`)
})
