import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { exampleFaults } from '../scripts/example-faults.ts'
import { generatedFiles } from '../scripts/generated-files.ts'
import { type Setting, settings } from '../src/config.ts'
import type { ObjectSchema } from '../src/lib/schema.ts'
import { resources } from '../src/resources/index.ts'
import { startService } from './support/service.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

for await (const [path, text] of generatedFiles()) {
  test(`${path} is generated from the code ('npm run contract' writes it)`, () => assert.equal(read(path), text))
}

test("every resource's example matches its schema, and one that does not is reported", () => {
  assert.deepEqual(exampleFaults(resources), [])
  const wrong = resources.map((resource) => ({ ...resource, example: {} }))
  assert.equal(exampleFaults(wrong).length, resources.length)
})

test('every resource is in the REST guide, and every tool in the MCP guide', () => {
  const [rest, mcp] = [read('docs/rest.md'), read('docs/mcp.md')]
  for (const { path, permission, tool } of resources) {
    for (const words of [`GET ${path}`, permission]) assert.ok(rest.includes(`\`${words}\``), `docs/rest.md: ${words}`)
    for (const words of [tool.name, permission]) assert.ok(mcp.includes(`\`${words}\``), `docs/mcp.md: ${words}`)
  }
})

test('the REST guide has every field with its limit', () => {
  const guide = read('docs/rest.md')
  for (const { schemas, list } of resources)
    for (const schema of Object.values(schemas))
      for (const field of Object.keys((schema as ObjectSchema).properties)) {
        const maxLength = list?.fields.find(({ name }) => name === field)?.maxLength
        const limit = maxLength === undefined ? '(?:\\| +)?' : `\\| ${maxLength.toLocaleString('en')} +`
        assert.match(guide, new RegExp(`^\\| \`${field}\` +${limit}\\| \\S`, 'm'), field)
      }
})

test('every setting is in the operator’s table with its default', () => {
  const guide = read('docs/operating.md')
  for (const [name, { default: value }] of Object.entries<Setting<unknown>>(settings)) {
    assert.ok(guide.includes(`\`${name}\``), name)
    if (value !== undefined) assert.ok(guide.includes(`\`${value}\``), `${name}: ${value}`)
  }
})

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...globSync('docs/**/*.md', { cwd: root }),
]

/** A heading's anchor, as GitHub derives it. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

for (const page of [...pages, 'client/README.md', 'examples/README.md'])
  test(`every link in ${page} leads somewhere`, () => {
    for (const [, file = '', section] of read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const target = file === '' ? page : join(dirname(page), file)
      assert.ok(existsSync(join(root, target)), target)
      if (section === undefined) continue
      const headings = [...read(target).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading))
      assert.ok(headings.includes(section), `${target} has no heading for #${section}`)
    }
  })

test('the list of decisions has every record, with its title', () => {
  const records = globSync('docs/decisions/0*.md', { cwd: root }).sort()
  const lines = records.map((record) => {
    const [, number, title] = /^# (\d{4}) · (.+)$/m.exec(read(record)) ?? []
    return `- [${number}](${basename(record)}) ${title}`
  })
  assert.deepEqual(read('docs/decisions/README.md').match(/^- .*$/gm), lines)
})

test('no page repeats a sentence, and every heading has an empty line before it', () => {
  for (const page of [...pages, 'client/README.md', 'examples/README.md']) {
    const text = read(page).replace(/^```.*?^```$/gms, '```')
    const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.length > 80)
    assert.deepEqual(
      paragraphs.filter((paragraph, index) => paragraphs.indexOf(paragraph) < index),
      [],
      page,
    )
    assert.deepEqual(text.match(/(?<=[^\n]\n)#+ .+$/gm) ?? [], [], page)
  }
})

test('the README is short, and the list of guides has every guide', () => {
  const readme = read('README.md')
  assert.ok(readme.split('\n').length <= 91)
  assert.ok((readme.match(/\]\(/g) ?? []).length <= 25)
  const list = read('docs/README.md')
  for (const page of globSync('docs/*.md', { cwd: root, exclude: ['docs/README.md'] }))
    assert.ok(list.includes(`](${basename(page)})`), page)
})

const FILE = /(?<![\w/.:-])(?:(?:src|test|scripts|bench|docs|bin)\/[\w./*-]*\w|contract\/[\w*]+\.json)/g

// A decision names the files of its day.
for (const page of pages.filter((page) => !page.startsWith('docs/decisions/')))
  test(`every file that ${page} names exists`, () => {
    for (const [path] of read(page).matchAll(FILE)) assert.ok(globSync(path, { cwd: root }).length > 0, path)
  })

test('CONTRIBUTING.md lists every folder of src, and those with more than five files have an introduction', () => {
  const rows = read('CONTRIBUTING.md').matchAll(/^\| `(src\/[\w/]+)\/` \| [^|]+ \| (?:`([\w-]+\.ts)` )?\|$/gm)
  const introductions = new Map([...rows].map(([, folder = '', file]) => [folder, file]))
  for (const top of globSync('src/*/', { cwd: root })) {
    const hasFiles = globSync(`${top}/*.ts`, { cwd: root }).length > 0
    for (const folder of hasFiles ? [top] : globSync(`${top}/*/`, { cwd: root })) {
      assert.ok(introductions.has(folder), `${folder} is not in the table`)
      if (globSync(`${top}/**/*.ts`, { cwd: root }).length <= 5) continue
      const file = `${folder}/${introductions.get(folder)}`
      const [comment = ''] = /^\/\*[\s\S]*?\*\//.exec(read(file)) ?? []
      assert.ok(comment.split('\n').length >= 10, `${file} has no introduction`)
    }
  }
})

test('every file and function that a recipe names exists', () => {
  const [, recipes = ''] = read('CONTRIBUTING.md').split(/^## Recipes$/m)
  const code = [...recipes.matchAll(/`([^`\n]+)`/g)].map(([, words = '']) => words)
  const sources = globSync('{src,test}/**/*.ts', { cwd: root, exclude: ['**/node_modules'] })
  const names = new Set(sources.flatMap((file) => read(file).match(/\b[A-Za-z]\w+\b/g) ?? []))
  const isPath = (words: string) => /^[\w@.*-]+(?:\/[\w@.*-]*)*$/.test(words) && /\/|\.[a-z]{2,4}$/.test(words)
  const functions = code.flatMap((words) => words.match(/\b(?:[a-z]+|[A-Z][a-z]+)[A-Z]\w*/g) ?? [])
  assert.ok(functions.length > 5)
  assert.deepEqual(
    functions.filter((name) => !names.has(name)),
    [],
  )
  const paths = code.filter(isPath)
  assert.ok(paths.length > 25)
  assert.deepEqual(
    // A name without a folder is one of the files that a placeholder stands for.
    paths.filter((path) => globSync([path, `src/**/${path}`], { cwd: root }).length === 0),
    [],
  )
})

test('the 401 details in the troubleshooting guide are those that the server sends', async (t) => {
  const { url } = await startService(t)
  const details: string[] = []
  for (const authorization of ['', 'vtr_none', 'Bearer vtr_none']) {
    const response = await fetch(`${url}/tasks`, { headers: authorization === '' ? {} : { authorization } })
    details.push(((await response.json()) as { detail: string }).detail)
  }
  const [, table = ''] = /^\| `detail` .*\n.*\n((?:\|.*\n)+)/m.exec(read('docs/troubleshooting.md')) ?? []
  assert.deepEqual(
    [...table.matchAll(/^\| (.*?) \|/gm)].map(([, detail]) => detail),
    details,
  )
})

for (const page of ['docs/security.md', 'docs/reliability.md'])
  test(`every test that ${page} names exists`, () => {
    const text = read(page)
    const inProse = [...text.matchAll(/`([a-z][a-z0-9-]*(?:\/[a-z0-9-]+)+)`/g)].map(([, name]) => name)
    const tables = [...text.matchAll(/\| test \|\n[|-]+\n((?:\|.*\n)+)/g)].map(([, rows = '']) => rows)
    const lastCells = [...tables.join('').matchAll(/\| ([^|]+) \|$/gm)].map(([, cell = '']) => cell)
    const inTables = lastCells.join(', ').replaceAll('`', '').split(', ')
    assert.ok(inTables.length > 10)
    for (const name of [...inProse, ...inTables]) assert.ok(existsSync(join(root, 'test', `${name}.test.ts`)), name)
  })
