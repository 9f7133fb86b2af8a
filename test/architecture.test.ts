import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { resources } from '../src/resources/index.ts'

const src = join(import.meta.dirname, '../src')
const files = globSync('**/*.ts', { cwd: src }).map((file) => file.replaceAll('\\', '/'))

/** What every subject may use. */
const below = ['database', 'problems', 'lib', 'version.ts', 'api/reserved-paths.ts', 'api/reserved-commands.ts']
const subjects = [
  'audit',
  'workspaces',
  'lists',
  'resources',
  'keys',
  'members',
  'connections',
  'import',
  'notices',
  'provisioning',
  ...below,
]

/**
 * Interfaces → subjects → database → lib. The folders that a folder may import from, besides itself. A file may stand for a
 * folder.
 */
const allowed: Record<string, string[]> = {
  lib: [],
  'version.ts': ['commit.ts'],
  'commit.ts': [],
  'gone.ts': [],
  problems: [],
  database: ['lib', 'lists/column.ts', 'lists/definition.ts', 'lists/query.ts'],
  audit: [...below],
  workspaces: ['lists', 'audit', ...below],
  lists: [...below],
  resources: ['lists', 'workspaces', 'audit', ...below],
  keys: ['workspaces', 'lists', 'audit', ...below],
  members: ['workspaces', 'audit', ...below],
  connections: ['members', 'workspaces', 'resources', 'lists', 'keys', 'audit', ...below],
  import: ['members', 'workspaces', 'resources', 'lists', 'keys', 'audit', ...below],
  provisioning: ['members', 'workspaces', 'resources', 'lists', 'keys', 'audit', ...below],
  notices: ['import', 'members', 'keys', 'audit', ...below],
  // Programs for integrators, which do not need the server.
  tools: ['lib', 'version.ts'],
  // How the interfaces are joined.
  api: ['database', 'problems', 'lib', 'version.ts', 'keys/quota.ts'],
  'log-lines.ts': ['lists/in-place/unavailable.ts', 'database', 'lib'],
  'setting-values.ts': ['keys', 'lib'],
  'config.ts': [
    'members',
    'keys',
    'import',
    'notices/mail.ts',
    'database',
    'api/path-lifecycle.ts',
    'setting-values.ts',
    'lib',
  ],
  http: [...subjects, 'api', 'log-lines.ts'],
  mcp: [...subjects, 'api'],
  web: [...subjects, 'api', 'config.ts'],
  'app.ts': [...subjects, 'api', 'http', 'mcp', 'web', 'config.ts', 'log-lines.ts'],
  // Observes an app from outside, and is loaded only if metrics are enabled.
  metrics: [...subjects, 'api/operation.ts', 'app.ts'],
  // Only the assembly and the command line, which starts the server, may import other interfaces.
  cli: [...subjects, 'tools', 'http', 'web', 'metrics', 'config.ts', 'app.ts', 'log-lines.ts', 'gone.ts'],
}

const folderOf = (file: string) => file.split('/')[0] ?? file

function mayImport(file: string, target: string): boolean {
  const [folder, other] = [folderOf(file), folderOf(target)]
  return other === folder || [other, target].some((each) => allowed[folder]?.includes(each))
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+)'/g)]
    .map(([, specifier = '']) => normalize(join(dirname(file), specifier)).replaceAll('\\', '/'))
    .filter((target) => !target.startsWith('..')) // package.json
}

const exportsOf = (text: string): string[] =>
  [...text.matchAll(/^export (?:async )?(?:abstract )?(?:const|function\*?|class|type|interface) (\w+)/gm)].map(
    ([, name = '']) => name,
  )

test('there are files to check', () => assert.ok(files.length > 50))

for (const file of files) {
  test(`${file} imports only from folders below its own`, () => {
    for (const target of importsOf(file)) assert.ok(mayImport(file, target), `${file} may not import ${target}`)
  })
}

test('only the database folder knows its engines', () => {
  for (const file of files.filter((each) => folderOf(each) !== 'database'))
    for (const target of importsOf(file))
      assert.doesNotMatch(target, /^database\/(?:sqlite|postgres)\//, `${file} may not import ${target}`)
})

test('only the database folder has SQL that only one engine understands', () => {
  for (const file of files.filter((each) => folderOf(each) !== 'database'))
    assert.doesNotMatch(readFileSync(join(src, file), 'utf8'), /\bpg_|::reg|\bsqlite_|\bPRAGMA\b/, file)
})

test('no tool imports another', () => {
  const toolOf = (file: string) => /^tools\/(\w+)\//.exec(file)?.[1]
  for (const file of files.filter(toolOf))
    for (const target of importsOf(file))
      assert.ok([undefined, toolOf(file)].includes(toolOf(target)), `${file} may not import ${target}`)
})

test('modules are named with their extension only by imports, which the build rewrites', () => {
  for (const file of files) {
    const code = readFileSync(join(src, file), 'utf8').replaceAll(
      /(?:from|import\() ?'[^']+'|^ *(?:\/\/|\*|\/\*).*$/gm,
      '',
    )
    assert.doesNotMatch(code, /\.ts['"`]\s*[,)]|import\.meta\.resolve/, file)
  }
})

test('every export is imported somewhere', () => {
  const root = join(import.meta.dirname, '..')
  const users = globSync('{src,test,bench,scripts,examples}/**/*.{ts,mjs,js}', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  }).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const filesWith = new Map<string, number>()
  for (const { text } of users)
    for (const word of new Set(text.match(/\w+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1)
  const unused = users.flatMap(({ path, text }) =>
    exportsOf(text).flatMap((name) => ((filesWith.get(name) ?? 0) > 1 ? [] : `${path}: ${name}`)),
  )
  assert.deepEqual(unused, [])
})

/** What every command's file exports. */
const SHARED_NAMES = ['command']

const localTypesOf = (text: string): string[] =>
  [...text.matchAll(/^(?:type|interface|class) (\w+)/gm)].map(([, name = '']) => name)

/** A local type may share a short name, such as Result, with a type that its file cannot import. */
const isShort = (name: string) => /^[A-Z][a-z]+$/.test(name)

test('an exported name has one meaning, except in mirrors: the engines behind their port, and the protocol versions', () => {
  const mirrors = /^(?:database\/(?:sqlite\/|postgres\/|open\.ts$)|mcp\/\d{4}-\d{2}-\d{2}\/)/
  const exported = new Map<string, string>()
  const check = (name: string, file: string) => {
    const other = exported.get(name)
    const isMirror = other !== undefined && mirrors.test(file) && mirrors.test(other)
    assert.ok(other === undefined || isMirror, `${name} is exported by ${other}, and ${file} has another: rename one`)
  }
  const texts = files.map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }))
  for (const { file, text } of texts)
    for (const name of exportsOf(text).filter((each) => !SHARED_NAMES.includes(each))) {
      check(name, file)
      exported.set(name, file)
    }
  for (const { file, text } of texts)
    for (const name of localTypesOf(text))
      if (!isShort(name) || mayImport(file, exported.get(name) ?? '')) check(name, file)
})

test('an introduction names only files that exist, and that of lib all of its files', () => {
  const introductions = files.flatMap((file) => {
    const [, text, folder = ''] =
      /^(\/\*\*\n \* src\/([\w/-]+)[\s\S]*?\*\/)/.exec(readFileSync(join(src, file), 'utf8')) ?? []
    return text === undefined ? [] : { file, text, folder }
  })
  assert.ok(introductions.length > 10)
  for (const { file, text } of introductions)
    for (const [name] of text.matchAll(/(?<![\w/.-])[\w/-]+\.ts\b/g))
      assert.ok(
        files.some((each) => `src/${each}`.endsWith(`/${name.replace(/^src\//, '')}`)),
        `${file}: ${name} does not exist`,
      )
  const introduction = introductions.find(({ folder }) => folder === 'lib')
  const words = introduction?.text.split(/[^\w-]+/) ?? []
  for (const file of files.filter((each) => folderOf(each) === 'lib'))
    assert.ok(words.includes(file.slice('lib/'.length, -'.ts'.length)), `${introduction?.file} does not name ${file}`)
})

test('there are no import circles', () => {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const from = path.indexOf(file)
    assert.equal(from, -1, `circle: ${[...path.slice(from), file].join(' → ')}`)
    if (done.has(file)) return
    for (const target of importsOf(file)) if (target.endsWith('.ts')) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
})

test('a server imports its background work, its pages and the other engine on demand', () => {
  const loaded = new Set<string>()
  const load = (file: string): void => {
    if (loaded.has(file) || !file.endsWith('.ts')) return
    loaded.add(file)
    const text = readFileSync(join(src, file), 'utf8')
    for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type)[^']*'(\.{1,2}\/[^']+)'/gm))
      load(normalize(join(dirname(file), specifier)).replaceAll('\\', '/'))
  }
  for (const file of ['cli/serve/run-server.ts', 'database/sqlite/public-store.ts']) load(file)
  assert.ok(loaded.has('mcp/tools.ts'))
  const later = /^(?:notices|metrics|import\/sou|audit\/retention|web\/(?!lazy)|database\/postgres\/open)/
  assert.deepEqual(
    [...loaded].filter((file) => later.test(file)),
    [],
  )
})

/** Private members, and public ones that Node's documentation leaves out. */
const UNDOCUMENTED =
  /[\w)\]]\??\._(?!meta\b)[a-z]\w*|\['_\w+'\]|^ +(?:override |async )*_[a-z]\w*\(|\b(?:socket|req|res)\.parser\b|\b(?:assignSocket|detachSocket|shouldKeepAlive|httpAllowHalfOpen|process\.binding)\b/gm

test("only Node's documented API is used, and one public property besides it", () => {
  const used = files
    .filter((file) => folderOf(file) !== 'database')
    .flatMap((file) => (readFileSync(join(src, file), 'utf8').match(UNDOCUMENTED) ?? []).map((name) => [file, name]))
  // For clients that half-close their connections.
  assert.deepEqual(used, [['http/server.ts', 'httpAllowHalfOpen']])
})

test('the database folder names no resource and knows them only by their definitions', () => {
  const names = resources.flatMap(({ list }) => (list === undefined ? [] : [list.name, list.singular]))
  for (const file of globSync('database/**/*.{ts,sql}', { cwd: src }))
    for (const name of names)
      assert.doesNotMatch(readFileSync(join(src, file), 'utf8'), new RegExp(`\\b${name}\\b`, 'i'), `${file}: ${name}`)
})

const versions = [...new Set(files.map((file) => /^mcp\/(\d{4}-\d{2}-\d{2})\//.exec(file)?.[1] ?? ''))].filter(Boolean)

test('an MCP protocol version is a folder that only the assembly knows, so deleting both removes it', () => {
  assert.deepEqual(versions.sort(), ['2025-03-26', '2026-07-28'])
  for (const file of files)
    for (const version of versions) {
      const folder = `mcp/${version}/`
      if (file === 'app.ts' || file.startsWith(folder)) continue
      for (const target of importsOf(file)) assert.ok(!target.startsWith(folder), `${file} may not import ${target}`)
    }
})
