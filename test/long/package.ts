import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { isRuntime, shippedPackages } from '../../scripts/shipped-packages.ts'
import { type Program, program } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')
export const COMMIT = 'abc1234'

export interface Packed {
  file: string
  size: number
  /** Of everything in it. */
  paths: string[]
}

/** The result of `npm pack` for this clone, in another folder. */
export async function pack(folder: string): Promise<Packed> {
  const args = ['pack', '--json', '--loglevel=error', '--pack-destination', folder]
  const options = { cwd: ROOT, env: { ...process.env, COMMIT }, maxBuffer: 10_000_000 }
  const { stdout } = await promisify(execFile)('npm', args, options)
  const [{ filename, size, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; size: number; files: { path: string }[] },
  ]
  return { file: join(folder, filename), size, paths: files.map(({ path }) => path) }
}

/** The `files` of package.json in npm's layout, but faster than npm: with its packages, and the runtime as a sibling. */
export function layOut(folder: string): string {
  const home = join(folder, 'node_modules/vitrine')
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { env: { ...process.env, COMMIT } })
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
  const left = files.filter((path) => path.startsWith('!')).map((path) => join(ROOT, path.slice(1)))
  const taken = files.filter((path) => !path.startsWith('!'))
  for (const path of [...taken, 'package.json', 'README.md', 'LICENSE'])
    cpSync(join(ROOT, path), join(home, path), { recursive: true, filter: (file) => !left.includes(file) })
  for (const shipped of shippedPackages().slice(1)) {
    const { name } = shipped
    // Those for other platforms are not installed.
    if (!existsSync(join(ROOT, 'node_modules', name))) continue
    const place = join(isRuntime(shipped) ? folder : home, 'node_modules', name)
    // A second version of a package is inside the package that needs it.
    if (existsSync(place)) continue
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), place)
  }
  return join(home, 'bin/vitrine')
}

/** A newcomer's first steps with an installed package: each response needs files that the package must contain. */
export async function use(t: TestContext, launcher: string): Promise<Program> {
  const vitrine = program(t, {}, undefined, launcher)
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
  const { stdout } = await vitrine.run('doctor', '--json')
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] }
  const failed = checks.filter(({ state }) => state === 'failed').map(({ name }) => name)
  // The demo shows what an overdue source looks like.
  assert.deepEqual(failed, ['source supplier-sheet of tasks in northwind'])
  assert.ok(checks.length > 5)
  assert.equal(await server.stop(), 0)
  return vitrine
}

const version = (): string => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
