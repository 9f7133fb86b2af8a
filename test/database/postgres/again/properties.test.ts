import { runOnPostgres } from './run.ts'

await runOnPostgres(import.meta.filename)
