import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../import/{import-differences,sync-records}.test.ts')
