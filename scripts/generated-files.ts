import { readFileSync } from 'node:fs'
import { apiDocument } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { mapSchema } from '../src/import/map/schema.ts'
import { toolDefinition as tool20250326 } from '../src/mcp/2025-03-26/tools.ts'
import { toolDefinition as tool20260728 } from '../src/mcp/2026-07-28/tools.ts'
import { catalogue, problemCodes } from '../src/problems/catalogue.ts'
import { definitionSchema } from '../src/resources/declared/definition.ts'
import { resources } from '../src/resources/index.ts'
import { clientConfigurations } from './client-configurations.ts'
import { withSection } from './generated-section.ts'
import { metricsTable } from './metrics-table.ts'
import { shippedPackages } from './shipped-packages.ts'
import { tokenCounts, tokenTable } from './token-counts.ts'

/** Every generated file that is committed: path and text. */
export async function* generatedFiles(): AsyncGenerator<[path: string, text: string]> {
  const document = apiDocument(readConfig({}))
  yield ['contract/openapi.json', pretty(document)]
  yield ['contract/tools.json', pretty({ tools: resources.map(tool20250326) })]
  yield ['contract/tools-2026-07-28.json', pretty({ tools: resources.map((resource) => tool20260728(resource)) })]
  yield ['contract/map.schema.json', pretty({ ...mapHead, ...mapSchema })]
  yield ['contract/resource.schema.json', pretty({ ...definitionHead, ...definitionSchema })]
  yield ['docs/problems/README.md', problemIndex()]
  for (const code of problemCodes) yield [`docs/problems/${code}.md`, problemPage(code)]
  yield ['LICENCES.md', licences()]
  const guide = withSection(committed('docs/mcp.md'), 'tokens', tokenTable(await tokenCounts()))
  yield ['docs/mcp.md', withSection(guide, 'configurations', clientConfigurations())]
  yield ['docs/monitoring.md', withSection(committed('docs/monitoring.md'), 'metrics', metricsTable())]
}

const $schema = 'https://json-schema.org/draft/2020-12/schema'
const mapHead = {
  $schema,
  title: 'Vitrine map',
  description: 'How the records of a file fill the fields of a resource. docs/maps.md explains it.',
}
const definitionHead = {
  $schema,
  title: 'Vitrine resource',
  description: 'A resource of your own, in one file of the folder RESOURCES. docs/resources.md explains it.',
}

const committed = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const GENERATED = '<!-- Generated from src/problems/catalogue.json by `npm run contract`. -->\n'

const problemIndex = () => `${GENERATED}
# Problems

Every error is an RFC 9457 problem with one of these codes. On \`/v2/mcp\`, errors in the 2026-07-28 protocol are JSON-RPC errors instead,
with the problem's members in \`error.data\`. Codes are never renamed or removed.

| status | code | title |
|---|---|---|
${problemCodes.map((code) => `| ${catalogue[code].status} | [\`${code}\`](${code}.md) | ${catalogue[code].title} |`).join('\n')}
`

function problemPage(code: (typeof problemCodes)[number]): string {
  const { status, title, meaning, hint } = catalogue[code]
  return `${GENERATED}
# \`${code}\` (${status})

**${title}.**

## What happened

${meaning}

## What to do

${hint}
`
}

function licences(): string {
  const [, ...packages] = shippedPackages()
  return `<!-- Generated from package-lock.json by \`npm run contract\`. -->

# Licences of what ships

Vitrine itself is under the [MIT licence](LICENSE). An installation without development tools (\`npm install --omit=dev\`) also contains
these packages, each under the licence shown.

| package | version | licence |
|---|---|---|
${packages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`).join('\n')}

Only the \`node-…\` package for your platform is installed. It contains the Node.js runtime, which is under the MIT licence and includes other software, such as V8, OpenSSL and
SQLite, under their own licences. They are listed in [Node.js's LICENSE file](https://github.com/nodejs/node/blob/main/LICENSE).

The pages are set in Instrument Sans, © 2022 The Instrument Sans Project Authors, under the SIL Open Font License 1.1. The font files and
the licence's text are in \`src/web/assets/fonts\`; they are the Latin subsets of the npm package \`@fontsource-variable/instrument-sans\` 5.3.0.
`
}
