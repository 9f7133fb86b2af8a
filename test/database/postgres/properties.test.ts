import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../properties/*.test.ts')
await runOnPostgres('../../audit/retention.test.ts')
