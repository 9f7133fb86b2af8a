/** Writes what is generated from the code and committed, so that a review sees when the contract changes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { resources } from '../src/resources/index.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { exampleFaults } from './example-faults.ts'
import { expectedPostgresSchema } from './expected-schema.ts'
import { generatedFiles } from './generated-files.ts'

const faults = exampleFaults(resources)
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`)
  process.exit(1)
}

const root = new URL('../', import.meta.url)
const write = (path: string, text: string) => {
  const file = new URL(path, root)
  mkdirSync(new URL('./', file), { recursive: true })
  writeFileSync(file, text)
}
for await (const [path, text] of generatedFiles()) write(path, text)

// Apart from the others, because it takes a server.
const server = await startPostgres()
try {
  write('contract/schema.postgres.json', await expectedPostgresSchema(server.url))
} finally {
  await server.remove()
}
