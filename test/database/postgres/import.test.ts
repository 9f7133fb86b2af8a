import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../import/{import-differences,source-attempts,sync-records}.test.ts')
