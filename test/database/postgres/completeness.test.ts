import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../completeness.test.ts')
