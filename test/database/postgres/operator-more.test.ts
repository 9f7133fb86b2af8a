import { runOnPostgres } from './run-on-postgres.ts'

const WITHOUT_DATABASE = ['progress', 'table', 'terminal', 'version']

// The other half of the command line: together they would take as long as everything else.
await runOnPostgres('../../cli/[m-z]*.test.ts', {
  except: WITHOUT_DATABASE.map((name) => `../../cli/${name}.test.ts`),
})
