import { runOnPostgres } from './run-on-postgres.ts'

// The other half of the command line: together they would take as long as everything else.
await runOnPostgres('../../cli/[m-z]*.test.ts')
