import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../contract/*.test.ts')
