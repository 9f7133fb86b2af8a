import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createToken } from '../../../src/lib/key-format.ts'
import { type Findings, locationText, placeText } from '../../../src/tools/scan/findings.ts'
import { scanPaths, scanStaged } from '../../../src/tools/scan/scan.ts'
import { repository } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** With commits by their whole ids. */
const placesIn = ({ keys }: Findings, folder: string) =>
  keys.map(({ places }) =>
    places.map(({ repository: _, revision, ...place }) => [revision ?? '', placeText(place).replace(`${folder}/`, '')]),
  )

test('a removed key is found in the first commit that had it, by its path there', async (t) => {
  const { folder, git, write, commit } = repository(t)
  const token = createToken()
  commit()
  write('config.ts', `a\n  key = ${token}`)
  const first = commit()
  git('mv', 'config.ts', 'moved.ts')
  commit()
  git('rm', '--quiet', 'moved.ts')
  commit()
  for (const packed of [false, true]) {
    if (packed) git('gc', '--quiet')
    const findings = await scanPaths([folder])
    assert.deepEqual(placesIn(findings, folder), [[[first, 'config.ts:2:9']]])
    assert.deepEqual(findings.unread, [])
    assert.ok(findings.objects >= 8)
  }
})

test('keys are found in messages, tags, merges, stashes, staged files, and objects that no branch reaches', async (t) => {
  const { folder, git, write, commit } = repository(t)
  const names = ['message', 'tag', 'merge', 'stash', 'dropped', 'staged', 'worktree'] as const
  const tokens = Object.fromEntries(names.map((name) => [name, createToken()])) as Record<
    (typeof names)[number],
    string
  >
  commit(`Use ${tokens.message}`)
  git('tag', '--annotate', 'v1', '--message', tokens.tag)
  git('checkout', '--quiet', '-b', 'side')
  write('side', 'side')
  commit()
  git('checkout', '--quiet', 'main')
  git('merge', '--quiet', '--no-ff', '--no-commit', 'side')
  write('merge', tokens.merge)
  const merged = commit()
  write('side', tokens.stash)
  git('stash', '--quiet')
  write('dropped', tokens.dropped)
  const dropped = commit()
  git('reset', '--quiet', '--hard', merged)
  write('staged', tokens.staged)
  git('add', 'staged')
  write('staged', 'clean')
  // The folder is not a repository's own: it names one.
  const linked = join(folder, '../linked')
  git('worktree', 'add', '--quiet', linked, 'side')
  writeFileSync(join(linked, 'worktree'), tokens.worktree)

  const found = await scanPaths([linked])
  const byPrefix = new Map(found.keys.map(({ prefix, places }) => [prefix, places]))
  const of = (name: (typeof names)[number]) =>
    byPrefix.get(tokens[name].slice(0, 10))?.map(({ revision, file }) => [revision, file])
  const fileOf = (name: (typeof names)[number]) =>
    of(name)
      ?.map(([, file]) => file)
      .join()
  assert.deepEqual([fileOf('message'), fileOf('tag'), fileOf('stash')], ['(commit message)', '(tag)', 'side'])
  assert.deepEqual(of('merge'), [[merged, 'merge']])
  assert.deepEqual(of('dropped'), [[dropped, 'dropped']])
  assert.deepEqual(of('staged'), [['staged', 'staged']])
  assert.equal(of('worktree')?.length, 1)
  assert.deepEqual(found.unread, [])
})

test('a bare repository is read, and so are the files next to its objects', async (t) => {
  const { folder, write, commit } = repository(t)
  write('a', createToken())
  commit()
  const bare = join(folder, '../bare.git')
  execFileSync('git', ['clone', '--quiet', '--bare', folder, bare])
  writeFileSync(join(bare, 'config'), `${readFileSync(join(bare, 'config'))}# ${createToken()}\n`)
  const { keys } = await scanPaths([bare])
  assert.deepEqual(keys.flatMap(({ places }) => places.map(({ file }) => file.replace(`${bare}/`, ''))).sort(), [
    'a',
    'config',
  ])
})

test('--staged reads what the next commit would add, and nothing else', async (t) => {
  const { folder, git, write, commit } = repository(t)
  const [old, staged] = [createToken(), createToken()]
  write('new.txt', `x\n${staged}`)
  git('add', '--all')
  assert.deepEqual(placesIn(await scanStaged(folder), folder), [[['staged', 'new.txt:2:1']]])
  git('rm', '--quiet', '--cached', 'new.txt')
  rmSync(join(folder, 'new.txt'))
  write('old.txt', old)
  commit()
  write('unstaged.txt', createToken())
  mkdirSync(join(folder, 'sub'))
  write('sub/ü.txt', staged)
  git('add', 'sub')
  git('rm', '--quiet', 'old.txt')
  // Otherwise git would report only the folder's own files, by other paths.
  git('config', 'diff.relative', 'true')
  const findings = await scanStaged(join(folder, 'sub'))
  assert.deepEqual(placesIn(findings, folder), [[['staged', 'sub/ü.txt:1:1']]])
  git('commit', '--quiet', '--message', 'done')
  assert.deepEqual((await scanStaged(folder)).keys, [])
})

test('--staged during a merge reads what is staged, and leaves out files with conflicts', async (t) => {
  const { folder, git, write, commit } = repository(t)
  write('both.txt', 'base')
  commit()
  git('checkout', '--quiet', '-b', 'other')
  write('both.txt', 'theirs')
  write('merged.txt', createToken())
  commit()
  git('checkout', '--quiet', 'main')
  write('both.txt', createToken())
  commit()
  assert.throws(() => git('merge', '--quiet', 'other'))
  assert.deepEqual(placesIn(await scanStaged(folder), folder), [[['staged', 'merged.txt:1:1']]])
})

test("a stranger's repository runs no program: no monitor, no hook, no helper that fetches", async (t) => {
  const { folder, git, write, commit } = repository(t)
  const marker = join(folder, '../ran')
  const program = join(folder, '../program')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${marker}\nexit 1\n`)
  chmodSync(program, 0o755)
  mkdirSync(join(folder, 'sub'))
  write('sub/key', createToken())
  commit()
  const tree = git('rev-parse', 'HEAD:sub').trim()
  git('remote', 'add', 'origin', folder)
  for (const [name, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.uploadpack', program],
    ['protocol.file.allow', 'always'],
    ['core.fsmonitor', program],
    ['core.pager', program],
    ['core.hooksPath', join(folder, '..')],
    ['diff.external', program],
  ] as const)
    git('config', name, value)
  write('.gitattributes', '* diff=evil')
  git('config', 'diff.evil.textconv', program)
  // A tree that is missing is fetched from the remote when the history is walked.
  rmSync(join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2)))
  rmSync(marker, { force: true })
  const findings = await scanPaths([folder])
  assert.equal(findings.keys.length, 1)
  await scanStaged(folder).catch(() => {})
  assert.equal(existsSync(marker), false, existsSync(marker) ? readFileSync(marker, 'utf8') : '')
})

test('a key is not repeated if a file and a repository are named after it', async (t) => {
  const { folder, write, commit } = repository(t)
  const token = createToken()
  write(`${token}.txt`, `key ${token}`)
  commit()
  const named = join(folder, '..', token)
  renameSync(folder, named)
  const { keys } = await scanPaths([named])
  // The index and the tree hold the name of the file too.
  const texts = keys.flatMap(({ places }) => places.map(placeText))
  assert.equal(texts.length, 4)
  assert.equal(texts.filter((text) => text.endsWith('vtr_[redacted].txt:1:5')).length, 2)
  assert.ok(!JSON.stringify(keys).includes(token))
})

test('a .git file that git did not write does not stall the scan', async (t) => {
  const folder = temporaryFolder(t)
  const token = createToken()
  writeFileSync(join(folder, '.git'), `gitdir: ${' '.repeat(1_000_000)}${token}\nx`)
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'sub/.git'), 'gitdir: .\n')
  execFileSync('mkfifo', [join(folder, 'sub/commondir')])
  const { keys, skipped } = await scanPaths([folder])
  assert.deepEqual([keys.length, [...skipped]], [1, [['pipe', 1]]])
})

test('a damaged repository is reported, and its objects are not treated as read', async (t) => {
  const { folder, write, commit } = repository(t)
  write('a', 'x'.repeat(1000))
  commit()
  const [object = ''] = globSync('.git/objects/??/*', { cwd: folder })
  chmodSync(join(folder, object), 0o644)
  writeFileSync(join(folder, object), 'damaged')
  const { unread, objects } = await scanPaths([folder])
  assert.equal(unread.length, 1)
  assert.match(locationText(unread[0]?.at ?? { file: '' }), /repo@[0-9a-f]{12}:\(object\)$/)
  assert.equal(unread[0]?.reason, 'is damaged')
  assert.ok(objects > 0)
})
