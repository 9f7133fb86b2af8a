import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { orders } from '../resources/declared/orders.ts'
import { documentedCode } from '../support/documented.ts'
import { program as vitrineProgram } from '../support/program.ts'
import { projectWithClient } from './compiled-client.ts'
import { clientFolder, root, run, skipWithoutTool } from './tools.ts'

const generator = join(clientFolder, 'node_modules/openapi-typescript/bin/cli.js')

const compilerOptions = {
  target: 'es2022',
  lib: ['es2022', 'dom'],
  module: 'nodenext',
  types: [],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
}

/** The program in the README, and what must not compile. */
const program = `
${documentedCode('client/README.md', 'ts')}
  declare const process: { env: Record<string, string | undefined> }
  export const totals: (string | null)[] = orders.map(({ total }) => total)
  export const titles: string[] = (await vitrine.get('/tasks')).tasks.map(({ title }) => title)
  // @ts-expect-error: it has no such member
  export const { task } = await vitrine.get('/tasks')
  // @ts-expect-error: there is no such path
  await vitrine.get('/nothing')
  // @ts-expect-error: it cannot be read with GET
  await vitrine.get('/mcp')`

test('the client reads the paths of a document that `vitrine openapi` printed, by generated types', {
  ...skipWithoutTool(generator),
}, async (t) => {
  const project = await projectWithClient(t)
  const vitrine = vitrineProgram(t, { RESOURCES: join(project, 'resources') })
  mkdirSync(join(project, 'resources'))
  writeFileSync(join(project, 'resources/orders.json'), JSON.stringify(orders))
  writeFileSync(join(project, 'openapi.json'), await vitrine.ok('openapi'))
  await run([process.execPath, generator, 'openapi.json', '--output', 'vitrine-paths.ts'], { cwd: project })
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  writeFileSync(join(project, 'main.ts'), program)
  const compiled = await run([join(root, 'node_modules/.bin/tsc'), '-p', project], { cwd: project })
  assert.equal(compiled.stdout, '')
})
