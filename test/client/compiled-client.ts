import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { clientFolder, root, run } from './tools.ts'

/** A project with the compiled client in it. It is neither type-checked here (`npm run check` does that) nor packed (test/long does that). */
export async function projectWithClient(t: TestContext): Promise<string> {
  const project = temporaryFolder(t)
  const target = join(project, 'node_modules/vitrine-client')
  cpSync(join(clientFolder, 'package.json'), join(target, 'package.json'))
  // As `npm install` writes it; Deno reads it.
  const manifest = { name: 'project', private: true, type: 'module', dependencies: { 'vitrine-client': '*' } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  const output = ['--noCheck', '--outDir', join(target, 'dist')]
  await run([join(root, 'node_modules/.bin/tsc'), '-p', clientFolder, ...output], { cwd: project })
  return project
}
