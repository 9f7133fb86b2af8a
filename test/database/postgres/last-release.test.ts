import { runOnPostgres } from './run-on-postgres.ts'

await runOnPostgres('../last-release.test.ts')
