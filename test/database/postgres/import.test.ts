import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../import/sync-records.test.ts')
