import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../{web,members}/*.test.ts')
