import { runOnPostgres } from './run-on-postgres.ts'

/** The guides are run once, and what the program itself does is the same on both engines. */
const WITHOUT_DATABASE = [
  'command-tree',
  'completion',
  'check',
  'context',
  'display-width',
  'documented-commands',
  'env-file',
  'drain',
  'filling-guide',
  'input-file',
  'json-errors',
  'launcher',
  'lifecycle-guide',
  'line-sink',
  'log-schema',
]

await runOnPostgres('../../cli/[a-l]*.test.ts', {
  except: WITHOUT_DATABASE.map((name) => `../../cli/${name}.test.ts`),
})
