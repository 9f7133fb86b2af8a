import test from 'node:test'
import { skipWithoutPostgres } from '../support/database.ts'
import { runCampaign } from './campaign.ts'

/** The same requests in every run; FUZZ_SEED selects others. */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_115)

test('SQLite: every response to hostile requests is allowed by the contract, and the server is unharmed', (t) =>
  runCampaign(t, { engine: 'sqlite', requests: 3000, seed, maxMs: 60_000 }))

test(
  'PostgreSQL: every response to hostile requests is allowed by the contract, and the server is unharmed',
  skipWithoutPostgres(),
  (t) => runCampaign(t, { engine: 'postgres', requests: 800, seed, maxMs: 60_000 }),
)
