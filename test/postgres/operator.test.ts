import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../cli/*.test.ts')
