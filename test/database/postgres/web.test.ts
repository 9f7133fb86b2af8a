import { runOnPostgres } from './run-on-postgres.ts'

/** What never asks the database, or asks it only what the other files ask: once, on the other engine, is enough. */
const WITHOUT_DATABASE = [
  'agent-view',
  'audit-export',
  'create-key',
  'key-page-edit',
  'key-page-pause',
  'key-page-permissions',
  'list-keys',
  'oidc',
  'private',
  'return',
  'revoke-key',
  'sign-in',
  'site',
  'site-compression',
  'site-load',
  'site-markdown',
]

await runOnPostgres('../../{web,members}/*.test.ts', {
  except: WITHOUT_DATABASE.map((name) => `../../web/${name}.test.ts`),
})
