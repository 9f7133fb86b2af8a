import { runOnPostgres } from './run-on-postgres.ts'

/** The guides are run once, and what the program itself does is the same on both engines. */
const WITHOUT_DATABASE = [
  'check',
  'context',
  'documented-commands',
  'drain',
  'filling-guide',
  'input-file',
  'launcher',
  'lifecycle-guide',
  'line-sink',
]

await runOnPostgres('../../cli/[a-l]*.test.ts', {
  except: WITHOUT_DATABASE.map((name) => `../../cli/${name}.test.ts`),
})
