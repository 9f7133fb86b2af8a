import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientFolder, run, skipWithoutTool } from './tools.ts'

const generator = join(clientFolder, 'node_modules/openapi-typescript/package.json')
const esbuild = join(clientFolder, 'node_modules/esbuild/bin/esbuild')
const read = (file: string) => readFileSync(join(clientFolder, file), 'utf8')

test('the types are those of the contract (npm run types --prefix client writes them)', {
  ...skipWithoutTool(generator),
}, async () => {
  const { stdout } = await run([process.execPath, 'scripts/write-types.mjs', '--stdout'], { cwd: clientFolder })
  assert.equal(read('src/contract.ts'), stdout)
})

test('minified and uncompressed, it has at most 6,000 bytes', skipWithoutTool(esbuild), async () => {
  const args = ['--bundle', '--minify', '--format=esm', 'src/index.ts']
  const { stdout } = await run([process.execPath, esbuild, ...args], { cwd: clientFolder })
  assert.ok(stdout.length > 1000 && Buffer.byteLength(stdout) <= 6000, `${Buffer.byteLength(stdout)} bytes`)
})

test('it has no dependencies, and uses nothing that only one runtime has', () => {
  assert.equal(JSON.parse(read('package.json')).dependencies, undefined)
  for (const file of globSync('src/*.ts', { cwd: clientFolder }))
    assert.doesNotMatch(read(file), /from '(?!\.\/)|\b(process|Buffer|Deno|Bun)\b/, file)
})

test('its READMEs and the examples name the file that `npm pack` writes', () => {
  const { name, version } = JSON.parse(read('package.json'))
  for (const file of ['README.md', '../examples/package.json'])
    assert.ok(read(file).includes(`/${name}-${version}.tgz`), file)
})
