import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../import/{source-attempts,sync-records}.test.ts')
