import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../../cli/[a-l]*.test.ts')
