import assert from 'node:assert/strict'
import { cpSync, globSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { snippets, snippetTask } from '../client/readme.ts'
import { clientFolder, oldestNode, root, run, skipWithoutTool } from '../client/tools.ts'
import { startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const tools = join(clientFolder, 'node_modules')
const npm = ['npm', '--offline', '--no-audit', '--no-fund', '--no-update-notifier'] as const

/** Code that must not compile; it would, if a type were missing in the package. */
const MISUSE = `
import { type Task, Vitrine, VitrineProblem } from 'vitrine-client'
const vitrine = new Vitrine({ url: 'http://127.0.0.1', key: 'vtr_x' })
// @ts-expect-error no such resource
await vitrine.get('/task')
const { tasks } = await vitrine.get('/tasks')
const [task]: readonly Task[] = tasks
// @ts-expect-error no such field
task?.due
// @ts-expect-error frozen
tasks.pop()
export function told(error: unknown) {
  // @ts-expect-error no such code
  return error instanceof VitrineProblem && error.code === 'rate_limit'
}
`

test('the packed client installs into an empty project, where the README’s snippets compile and run', {
  ...skipWithoutTool(join(tools, 'typescript/package.json')),
}, async (t) => {
  const folder = temporaryFolder(t)
  const source = join(folder, 'source')
  cpSync(clientFolder, source, { recursive: true, filter: (path) => !/\/client\/(node_modules|dist)$/.test(path) })
  symlinkSync(tools, join(source, 'node_modules'))
  await run([...npm, 'pack', '--pack-destination', folder], { cwd: source })
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))

  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"name":"project","private":true,"type":"module"}')
  await run([...npm, 'install', join(folder, tarball)], { cwd: project })
  const installed = globSync('**/*.*', { cwd: join(project, 'node_modules/vitrine-client') })
  const modules = ['client', 'contract', 'errors', 'index', 'response', 'retry']
  assert.deepEqual(installed.sort(), [
    'README.md',
    ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
    'package.json',
  ])

  // As if the project had installed them: its own code needs them, the client does not.
  symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'))
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
  const compilerOptions = { ...strict, module: 'nodenext', target: 'es2022', noEmit: true, types: ['node'] }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  for (const [n, { code }] of snippets.entries()) writeFileSync(join(project, `snippet-${n}.ts`), code)
  writeFileSync(join(project, 'misuse.ts'), MISUSE)
  for (const compiler of [root, clientFolder])
    await run([join(compiler, 'node_modules/.bin/tsc'), '-p', project], { cwd: project })

  const service = await startService(t)
  await service.addTasks([snippetTask])
  for (const { code, prints } of snippets) {
    writeFileSync(join(project, 'snippet.mjs'), code)
    const env = { VITRINE_URL: service.url, VITRINE_KEY: service.key }
    assert.match((await run([oldestNode(), 'snippet.mjs'], { cwd: project, env })).stdout, prints)
  }
})
