import test from 'node:test'
import { runCampaign } from '../fuzz/campaign.ts'
import { skipWithoutPostgres } from '../support/database.ts'

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

test(`SQLite: 100,000 hostile requests, seed ${seed}`, (t) =>
  runCampaign(t, { engine: 'sqlite', requests: 100_000, seed, maxMs: 3_000_000 }))

test(`PostgreSQL: 20,000 hostile requests, seed ${seed}`, skipWithoutPostgres(), (t) =>
  runCampaign(t, { engine: 'postgres', requests: 20_000, seed, maxMs: 3_000_000 }),
)
