import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../cli/workers.test.ts')
