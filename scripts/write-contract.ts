/** Writes what is generated from the code and committed, so that a review sees when the contract changes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { generatedFiles } from './generated-files.ts'

const root = new URL('../', import.meta.url)
for (const [path, text] of generatedFiles()) {
  const file = new URL(path, root)
  mkdirSync(new URL('./', file), { recursive: true })
  writeFileSync(file, text)
}
