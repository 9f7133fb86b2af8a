import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../web/*.test.ts')
