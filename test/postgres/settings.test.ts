import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../settings/*.test.ts')
