import { runOnPostgres } from './run-on-postgres.ts'

/** What never asks the database, or asks it only what the other files ask: once, on the other engine, is enough. */
const WITHOUT_DATABASE = [
  'agent-view',
  'key-page-permissions',
  'oidc',
  'private',
  'return',
  'site',
  'site-compression',
  'site-load',
  'site-markdown',
]

await runOnPostgres('../../{web,members}/*.test.ts', {
  except: WITHOUT_DATABASE.map((name) => `../../web/${name}.test.ts`),
})
