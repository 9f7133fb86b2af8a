/** Repositories that strangers wrote, to be found by a scan. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { createToken } from '../../../src/lib/key-format.ts'
import { type Findings, locationText } from '../../../src/tools/scan/findings.ts'
import { scanPaths } from '../../../src/tools/scan/scan.ts'
import { repository } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MIB = 1024 ** 2

const unreadIn = ({ unread }: Findings, folder: string) =>
  unread.map(({ at, reason }) => `${locationText(at)} ${reason}`.replaceAll(`${folder}/`, ''))

test('a tree with a trillion paths is read as the dozen objects that it has', async (t) => {
  const { folder, git, gitWith } = repository(t)
  const token = createToken()
  const blob = gitWith(token, 'hash-object', '-w', '--stdin').trim()
  let tree = gitWith(`100644 blob ${blob}\tf\n`, 'mktree').trim()
  for (let level = 0; level < 12; level++)
    tree = gitWith(Array.from({ length: 10 }, (_, i) => `040000 tree ${tree}\td${i}\n`).join(''), 'mktree').trim()
  const commit = git('commit-tree', tree, '-m', 'bomb').trim()
  git('update-ref', 'refs/heads/main', commit)
  const { keys, objects, unread } = await scanPaths([folder])
  assert.deepEqual([objects, unread], [15, []])
  assert.deepEqual(
    keys.flatMap(({ places }) => places.map(({ revision, file }) => [revision, file])),
    [[commit, `${'d0/'.repeat(12)}f`]],
  )
})

test('an object above the limit is named and left out, unless it is excluded; the others are read', async (t) => {
  const { folder, write, commit } = repository(t)
  write('large', Buffer.alloc(2 * MIB))
  write('small', createToken())
  commit()
  rmSync(join(folder, 'large'))
  const findings = await scanPaths([folder], { limits: { objectBytes: MIB } })
  assert.equal(findings.keys[0]?.places.length, 2)
  assert.match(unreadIn(findings, folder).join(), /^[^,]+@[0-9a-f]{12}:large is larger than 1 MiB$/)
  const isExcluded = (path: string) => path.endsWith('large')
  const excluded = await scanPaths([folder], { limits: { objectBytes: MIB }, isExcluded })
  assert.deepEqual([excluded.unread, excluded.skipped.get('excluded git place')], [[], 1])
})

test('git ends if it needs more memory than allowed, and the repository is reported', async (t) => {
  const { folder } = repository(t)
  writeDeltaBomb(join(folder, '.git/objects/pack'))
  const findings = await scanPaths([folder])
  const [large = '', reason = ''] = unreadIn(findings, folder).sort().reverse()
  assert.match(large, /:\(a file in no known commit\) is larger than 128 MiB$/)
  assert.match(reason, /^\.git is a repository that was not read completely: git: .*(memory|mmap|malloc)/i)
})

/** 16 MiB of zeros, the same 160 times over as a difference to them, and the first bytes of that as a difference again: 17 KB. */
function writeDeltaBomb(folder: string): void {
  const size = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...size(Math.floor(value / 128))]
  const part = 0xffffff
  const delta = (from: number, to: number, copies: Buffer[]) =>
    Buffer.concat([Buffer.from([...size(from), ...size(to)]), ...copies])
  const copyAll = Buffer.from([0b11110000, 0xff, 0xff, 0xff])
  const [a, b, c] = [Buffer.alloc(20, 0xaa), Buffer.alloc(20, 0xbb), Buffer.alloc(20, 0xcc)]
  const ids = [a, b, c]
  const entries: [type: number, content: Buffer, base?: Buffer][] = [
    [3, Buffer.alloc(part)],
    [7, delta(part, 160 * part, Array(160).fill(copyAll)), a],
    [7, delta(160 * part, 100, [Buffer.from([0b10010000, 100])]), b],
  ]
  const offsets: number[] = []
  const pieces: Buffer[] = [Buffer.from('PACK\0\0\0\x02\0\0\0\x03', 'latin1')]
  for (const [type, content, base = Buffer.alloc(0)] of entries) {
    offsets.push(pieces.reduce((sum, { length }) => sum + length, 0))
    const rest = Math.floor(content.length / 16)
    const head = [(type << 4) | (content.length & 15) | (rest > 0 ? 128 : 0), ...(rest > 0 ? size(rest) : [])]
    pieces.push(Buffer.from(head), base, deflateSync(content, { level: 9 }))
  }
  const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest()
  const pack = Buffer.concat(pieces)
  const words = (values: number[]) => {
    const bytes = Buffer.alloc(4 * values.length)
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
    return bytes
  }
  const fanout = words(Array.from({ length: 256 }, (_, first) => ids.filter((id) => (id[0] ?? 0) <= first).length))
  const index = Buffer.concat([words([0xff744f63, 2]), fanout, ...ids, words([0, 0, 0]), words(offsets), sha1(pack)])
  const path = join(folder, `pack-${'1'.repeat(40)}`)
  writeFileSync(`${path}.pack`, Buffer.concat([pack, sha1(pack)]))
  writeFileSync(`${path}.idx`, Buffer.concat([index, sha1(index)]))
}

test('pipes in place of files that git would open do not stall the scan, and keys next to them are found', async (t) => {
  const { folder, write, commit } = repository(t)
  write('a', createToken())
  commit()
  rmSync(join(folder, 'a'))
  for (const name of ['config', 'HEAD', 'packed-refs', 'index', 'shallow', 'logs/HEAD']) {
    rmSync(join(folder, '.git', name), { force: true })
    execFileSync('mkfifo', [join(folder, '.git', name)])
  }
  const found = await scanPaths([folder])
  assert.deepEqual([found.keys.length, found.skipped.get('pipe'), found.unread], [1, 6, []])

  execFileSync('mkfifo', [join(folder, '.git/objects/pack/pack-1.idx')])
  const refused = await scanPaths([folder])
  assert.deepEqual(unreadIn(refused, folder), [
    '.git is a repository that was not read completely: its objects contain a pipe, which git would open',
  ])
})

test('a repository that leads outside the scanned folders is reported, and read only if it was named', async (t) => {
  const { folder, git, write, commit } = repository(t)
  write('a', createToken())
  commit()
  const scanned = temporaryFolder(t)
  const reason = /that was not read completely: its objects are in .*, outside the scanned folders; name it to scan it$/
  const places = ({ keys }: Findings) => keys.flatMap((key) => key.places.map(({ file }) => file))

  const ways: Record<string, (inner: string) => void> = {
    'a file .git': (inner) => writeFileSync(join(inner, '.git'), `gitdir: ${relative(inner, folder)}/.git\n`),
    'a worktree': (inner) => {
      rmSync(inner, { recursive: true })
      git('worktree', 'add', '--quiet', '--no-checkout', inner, 'HEAD')
    },
    alternates: (inner) => {
      git('init', '--quiet', inner)
      writeFileSync(join(inner, '.git/objects/info/alternates'), `${folder}/.git/objects\n`)
    },
    'a link to objects': (inner) => {
      git('init', '--quiet', inner)
      rmSync(join(inner, '.git/objects'), { recursive: true })
      symlinkSync(join(folder, '.git/objects'), join(inner, '.git/objects'))
    },
  }
  for (const [way, prepare] of Object.entries(ways)) {
    const inner = join(scanned, way)
    mkdirSync(inner)
    prepare(inner)
    const met = await scanPaths([scanned])
    assert.deepEqual([met.keys, met.unread.length], [[], 1], way)
    assert.match(unreadIn(met, scanned).join(), reason, way)
    const named = await scanPaths([inner])
    assert.deepEqual([places(named), named.unread], [['a'], []], way)
    rmSync(inner, { recursive: true })
  }
})

test('submodules and worktrees within the scanned folders are read, each repository once', async (t) => {
  const { folder, git, write, commit } = repository(t)
  write('a', createToken())
  commit()
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', folder, 'sub')
  git('worktree', 'add', '--quiet', 'tree')
  for (const path of ['a', 'sub/a', 'tree/a']) rmSync(join(folder, path))
  const { keys, unread } = await scanPaths([folder])
  assert.deepEqual(unread, [])
  assert.deepEqual(
    keys.flatMap(({ places }) => places.map(({ repository: name }) => name?.replace(folder, ''))).sort(),
    ['', '/.git/modules/sub'],
  )
})

test('an alternates list that cannot be checked is not left to git', async (t) => {
  const { folder } = repository(t)
  const file = join(folder, '.git/objects/info/alternates')
  const reason =
    '.git is a repository that was not read completely: the list of repositories that it borrows objects from cannot be read'
  for (const text of [`"${folder}/else\\where"\n`, `${'#'.repeat(10_000)}\n/\n`]) {
    writeFileSync(file, text)
    assert.deepEqual(unreadIn(await scanPaths([folder]), folder), [reason])
  }
})

test('a sparse file larger than any disk ends the scan at its limit, which is reported', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'a'), createToken())
  mkdirSync(join(folder, 'b'))
  writeFileSync(join(folder, 'b/sparse'), '')
  truncateSync(join(folder, 'b/sparse'), 1024 ** 4)
  const findings = await scanPaths([folder, folder], { limits: { totalBytes: 8 * MIB } })
  assert.equal(findings.keys.length, 1)
  assert.deepEqual(unreadIn(findings, folder), ['b/sparse the scan ended after 8 MiB; scan less at a time'])
  assert.ok(findings.bytes <= 9 * MIB)
})

test('the limit applies to objects and to stdin, and so does the time limit', async (t) => {
  const { folder, write, commit } = repository(t)
  write('a', Buffer.alloc(2 * MIB))
  commit()
  rmSync(join(folder, 'a'))
  const objects = await scanPaths([folder], { limits: { totalBytes: MIB } })
  assert.match(unreadIn(objects, folder)[0] ?? '', /^\.git .*: the scan ended after 1 MiB; scan less at a time$/)
  async function* endless() {
    for (;;) yield Buffer.alloc(MIB)
  }
  const stdin = await scanPaths(['-'], { stdin: endless(), limits: { totalBytes: 3 * MIB } })
  assert.deepEqual(unreadIn(stdin, folder), ['(stdin) the scan ended after 3 MiB; scan less at a time'])
  const late = await scanPaths(['-', folder], { stdin: endless(), limits: { totalMs: 0 } })
  assert.deepEqual(unreadIn(late, folder), ['(stdin) the scan ended after 0 minutes; scan less at a time'])
})

test('places are found in a shallow clone, and in a SHA-256 repository', async (t) => {
  const { folder, write, commit } = repository(t)
  commit()
  write('a', createToken())
  const second = commit()
  const clone = join(temporaryFolder(t), 'clone')
  execFileSync('git', ['clone', '--quiet', '--depth=1', '--no-checkout', `file://${folder}`, clone])
  const other = repository(t, '--object-format=sha256')
  other.write('b', createToken())
  const sha256 = other.commit()
  rmSync(join(other.folder, 'b'))
  for (const packed of [false, true]) {
    if (packed) other.git('gc', '--quiet')
    const { keys, unread } = await scanPaths([clone, other.folder])
    assert.deepEqual(unread, [])
    assert.deepEqual(
      keys
        .flatMap(({ places }) => places.map(({ revision, file }) => [revision, file]))
        .sort((a, b) => (`${a[1]}` < `${b[1]}` ? -1 : 1)),
      [
        [second, 'a'],
        [sha256, 'b'],
      ],
    )
  }
})

test('nothing is left behind in the temporary folder', async (t) => {
  const { folder, commit } = repository(t)
  commit()
  const { TMPDIR } = process.env
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  process.env.TMPDIR = temporaryFolder(t)
  assert.ok((await scanPaths([folder])).objects > 0)
  assert.deepEqual(readdirSync(process.env.TMPDIR), [])
})
