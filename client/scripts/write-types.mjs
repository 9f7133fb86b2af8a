/** Writes src/contract.ts from the published OpenAPI document: what can be read and asked, and the codes of problems. */
import { readFileSync, writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'

const document = JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8'))

const isRead = ([, { get }]) => get?.responses['200']?.content?.['application/json'] !== undefined
const onlyGet = ([path, { get }]) => [path, { get }]
document.paths = Object.fromEntries(Object.entries(document.paths).filter(isRead).map(onlyGet))

// The codes are an open list in the document, so they are given as examples there.
const { Problem } = document.components.schemas
Problem.properties.code.enum = Problem.properties.code.examples

const { schemas } = document.components
const used = new Set(['Problem', 'ListTasksArguments', 'ListTasksResult'])
const findUsed = (value) => {
  for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (used.has(name)) continue
    used.add(name)
    findUsed(schemas[name])
  }
}
findUsed(document.paths)
document.components.schemas = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))

const types = astToString(await openapiTS(document, { immutable: true }))
const text = `// Written by "npm run types" from contract/openapi.json.\n${types}`

// With --stdout for the test that the committed file is up to date.
if (process.argv.includes('--stdout')) process.stdout.write(text)
else writeFileSync(new URL('../src/contract.ts', import.meta.url), text)
