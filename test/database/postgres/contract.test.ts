import { runOnPostgres } from './run-on-postgres.ts'

/** What is decided before the database is asked anything, or never asks it: once, on the other engine, is enough. */
const WITHOUT_DATABASE = [
  'lifecycle',
  'malformed-requests',
  'methods',
  'not-found',
  'openapi',
  'origin',
  'problem-pages',
  'timeouts',
]

await runOnPostgres('../../contract/*.test.ts', {
  except: WITHOUT_DATABASE.map((name) => `../../contract/${name}.test.ts`),
})
