import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createToken } from '../../../src/lib/key-format.ts'
import { excludedBy, patternsIn } from '../../../src/tools/scan/excluded.ts'
import { type Findings, placeText } from '../../../src/tools/scan/findings.ts'
import { scanPaths, scanStaged } from '../../../src/tools/scan/scan.ts'
import { repository } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const paths = ['a.md', 'docs/a.md', 'docs/b/a.md', 'docs/', 'src/docs/', 'src/docs/x', '[id].ts', 'i.ts', 'a+b.md.ts']

/** What each pattern excludes of the paths. */
const patterns: Record<string, string[]> = {
  '*.md': ['a.md', 'docs/a.md', 'docs/b/a.md'],
  '/*.md': ['a.md'],
  'docs/*.md': ['docs/a.md'],
  'docs/**/*.md': ['docs/a.md', 'docs/b/a.md'],
  'docs/**': ['docs/a.md', 'docs/b/a.md', 'docs/'],
  'docs/': ['docs/a.md', 'docs/b/a.md', 'docs/', 'src/docs/', 'src/docs/x'],
  '/docs': ['docs/a.md', 'docs/b/a.md', 'docs/'],
  'a.md/': [],
  '**/docs/x': ['src/docs/x'],
  '[id].ts': ['[id].ts'],
  '?.ts': ['i.ts'],
  'a+b*': ['a+b.md.ts'],
  md: [],
}

for (const [pattern, expected] of Object.entries(patterns))
  test(`the pattern ${pattern} excludes what it should`, () => {
    const isExcluded = excludedBy(['no such file', pattern]) ?? assert.fail()
    assert.deepEqual(paths.filter(isExcluded), expected)
  })

test('a negated, bare-slash or empty pattern is rejected', () => {
  for (const pattern of ['!a.md', '/', '']) assert.throws(() => excludedBy([pattern]), /InvalidValueError.*pattern/)
})

test('an ignore file has a pattern on each line, and comments', (t) => {
  const file = join(temporaryFolder(t), 'ignore')
  assert.deepEqual(patternsIn(file), [])
  writeFileSync(file, '# why\n\n  *.md\r\n/docs/\n')
  assert.deepEqual(patternsIn(file), ['*.md', '/docs/'])
})

const placesIn = ({ keys }: Findings, folder: string) =>
  keys.flatMap(({ places }) => places.map((place) => placeText(place).replaceAll(`${folder}/`, ''))).sort()

test('excluded paths are not read in folders, not reported from the history, and counted', async (t) => {
  const { folder, git, write, commit } = repository(t)
  mkdirSync(join(folder, 'fixtures'))
  write('fixtures/key', createToken())
  write('key.min.js', createToken())
  write('config', createToken())
  const first = commit()
  for (const name of ['fixtures/key', 'config']) rmSync(join(folder, name))
  const isExcluded = excludedBy(['fixtures/', '*.min.js'])
  const findings = await scanPaths([folder], { isExcluded })
  assert.deepEqual(placesIn(findings, folder), [`${folder}@${first.slice(0, 12)}:config:1:1`])
  assert.deepEqual([...findings.skipped].sort(), [
    ['excluded file', 1],
    ['excluded folder', 1],
    ['excluded git place', 2],
  ])
  git('add', '--all')
  write('fixtures/other', createToken())
  write('new', createToken())
  git('add', '--all')
  const staged = await scanStaged(folder, { isExcluded })
  assert.deepEqual([placesIn(staged, folder), [...staged.skipped]], [['staged:new:1:1'], [['excluded file', 1]]])
})

for (const [count, found] of [
  [150, []],
  // Not all are held, so the others may not be excluded.
  [2001, [[1, 1]]],
] as const)
  test(`a key in ${count} excluded places of a repository is found ${found.length} times`, async (t) => {
    const { folder, write, commit } = repository(t)
    mkdirSync(join(folder, 'fixtures'))
    write('fixtures/keys', `${createToken()}\n`.repeat(count))
    commit()
    const { keys } = await scanPaths([folder], { isExcluded: excludedBy(['fixtures/']) })
    assert.deepEqual(
      keys.map(({ places, morePlaces }) => [places.length, morePlaces]),
      found,
    )
  })

test('a staged file is read although an excluded one has the same content', async (t) => {
  const { folder, git, write } = repository(t)
  const token = createToken()
  for (const name of ['env', 'env.example']) write(name, token)
  git('add', '--all')
  const findings = await scanStaged(folder, { isExcluded: excludedBy(['*.example']) })
  assert.deepEqual(placesIn(findings, folder), ['staged:env:1:1'])
})
