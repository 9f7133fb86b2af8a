// Run once: each test names its engines.
import test from 'node:test'
import { skipWithoutPostgres } from '../support/database.ts'
import { runCampaign } from './campaign.ts'

/** The same requests in every run; FUZZ_SEED sends others. */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_115)

test('SQLite: every answer to hostile requests is one that the contract allows, and the server is as before', (t) =>
  runCampaign(t, { engine: 'sqlite', requests: 3000, seed, maxMs: 60_000 }))

test(
  'PostgreSQL: every answer to hostile requests is one that the contract allows, and the server is as before',
  skipWithoutPostgres(),
  (t) => runCampaign(t, { engine: 'postgres', requests: 800, seed, maxMs: 60_000 }),
)
