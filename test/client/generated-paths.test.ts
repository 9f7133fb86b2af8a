// Run once: a client knows only HTTP.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { program } from '../support/program.ts'
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

const PROGRAM = `
  import { Vitrine } from 'vitrine-client'
  import type { paths } from './vitrine-paths.ts'
  const vitrine = new Vitrine<paths>({ url: '', key: '' })
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
  const vitrine = program(t)
  writeFileSync(join(project, 'openapi.json'), await vitrine.ok('openapi'))
  await run([process.execPath, generator, 'openapi.json', '--output', 'vitrine-paths.ts'], { cwd: project })
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  writeFileSync(join(project, 'main.ts'), PROGRAM)
  const compiled = await run([join(root, 'node_modules/.bin/tsc'), '-p', project], { cwd: project })
  assert.equal(compiled.stdout, '')
})
