import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { type Program, program } from './program.ts'

const ROOT = join(import.meta.dirname, '../..')
export const COMMIT = 'abc1234'

export interface Packed {
  file: string
  size: number
  /** Of everything in it. */
  paths: string[]
}

/** What `npm pack` creates of this clone, in a folder elsewhere. */
export async function pack(folder: string): Promise<Packed> {
  const args = ['pack', '--json', '--loglevel=error', '--pack-destination', folder]
  const options = { cwd: ROOT, env: { ...process.env, COMMIT }, maxBuffer: 10_000_000 }
  const { stdout } = await promisify(execFile)('npm', args, options)
  const [{ filename, size, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; size: number; files: { path: string }[] },
  ]
  return { file: join(folder, filename), size, paths: files.map(({ path }) => path) }
}

/** As npm lays it out, without the time that npm takes: the package, and the runtime as a sibling of it. */
export function unpack({ file }: Packed, folder: string): string {
  const home = join(folder, 'node_modules/vitrine')
  mkdirSync(home, { recursive: true })
  execFileSync('tar', ['-xzf', file, '-C', home, '--strip-components=1'])
  const runtime = join(folder, 'node_modules/node/bin')
  mkdirSync(runtime, { recursive: true })
  symlinkSync(process.execPath, join(runtime, 'node'))
  return join(home, 'bin/vitrine')
}

/** What a newcomer does with an installed package: each answer comes from files that the package must have. */
export async function use(t: TestContext, launcher: string): Promise<Program> {
  const vitrine = program(t, { WORKERS: '2' }, undefined, launcher)
  assert.equal(await vitrine.ok('--version'), `vitrine ${version()} (${COMMIT})`)
  // Loads every command.
  assert.match(await vitrine.ok('--help'), /^ {2}doctor /m)
  const server = await vitrine.start('demo')
  const key = /vtr_\w+/.exec(server.output())?.[0]
  const read = async (path: string) => {
    const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(response.status, 200, path)
    return response.text()
  }
  assert.ok(JSON.parse(await read('/tasks')).tasks.length > 5)
  assert.equal(JSON.parse(await read('/openapi.json')).info.version, version())
  assert.match(await read('/docs'), /href="\/docs\/operating"/)
  // A package has no images.
  assert.match(await read('/docs/settings'), /A new key with a button to copy it/)
  assert.doesNotMatch(await read('/docs/settings'), /docs\/images/)
  assert.match(await read('/problems/unauthorized'), /WWW-Authenticate|Authorization/)
  const settings = await fetch(`${server.url}/settings`, { headers: { accept: 'text/html' } })
  const page = await settings.text()
  assert.match(page, /Sign in/)
  for (const name of ['settings.css', 'settings.js']) {
    const [path] = new RegExp(`/settings/assets/[^"]*${name}`).exec(page) ?? []
    assert.ok(path !== undefined, name)
    assert.ok((await read(path)).length > 1000, name)
  }
  writeFileSync(join(vitrine.folder, 'more.csv'), 'id,title\nnew,New\n')
  await vitrine.ok('task', 'import', '--workspace', 'northwind', 'more.csv')
  assert.match(await read('/tasks'), /"id":"new"/)
  const { ok, checks } = JSON.parse(await vitrine.ok('doctor', '--json')) as { ok: boolean; checks: object[] }
  assert.ok(ok && checks.length > 5)
  assert.equal(await server.stop(), 0)
  return vitrine
}

const version = (): string => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
