import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createToken } from '../../../src/keys/token.ts'
import { Budget } from '../../../src/lib/archives/limits.ts'
import { scanStream } from '../../../src/tools/scan/content.ts'
import { Findings, placeText, sourceText } from '../../../src/tools/scan/findings.ts'
import { scanPaths } from '../../../src/tools/scan/scan.ts'
import { temporaryFolder } from '../../support/database.ts'
import { zipFile } from '../../support/zip-file.ts'

const TOKEN = createToken()
const NOTE = Buffer.from(`first line\nkey: ${TOKEN}\n`)
const LONG_NAME = `${'folder/'.repeat(30)}note.txt`

async function* none() {}

/** The places in a file of these bytes, and what could not be read of it. */
async function scanned(t: TestContext, name: string, bytes: Buffer) {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, name), bytes)
  return told(await scanPaths([join(folder, name)], none()), `${folder}/`)
}

const told = ({ keys, unread }: Findings, folder = '') => ({
  places: keys.flatMap(({ places }) => places).map((place) => placeText(place).replace(folder, '')),
  unread: unread.map(({ source, reason }) => `${sourceText(source).replace(folder, '')} ${reason}`),
})

/** What could not be read of a stream of these bytes. */
async function scan(bytes: Buffer, budget: Budget): Promise<string[]> {
  const findings = new Findings()
  const chunks = async function* () {
    yield bytes
  }
  await scanStream(findings, { file: 'x' }, chunks(), budget)
  return told(findings).unread
}

/** As the program on this machine writes it. */
function tar(t: TestContext, files: Record<string, Buffer>, ...options: string[]): Buffer {
  const folder = temporaryFolder(t)
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
  const args = ['-C', folder, ...options, '-cf', '-', ...Object.keys(files)]
  const { stdout, status, stderr } = spawnSync('tar', args, { maxBuffer: 1e8 })
  assert.equal(status, 0, String(stderr))
  return stdout
}

test('keys are found in what is compressed, at their line and column there', async (t) => {
  for (const [name, bytes] of [
    ['note.gz', gzipSync(NOTE)],
    ['two-members.gz', Buffer.concat([gzipSync('first '), gzipSync(NOTE)])],
    ['note.zst', zstdCompressSync(NOTE)],
    ['no-suffix', gzipSync(gzipSync(NOTE))],
  ] as const)
    assert.deepEqual(await scanned(t, name, bytes), { places: [`${name}:2:6`], unread: [] })
})

test('keys are found in tar archives of every format, with long names, compressed or not', async (t) => {
  for (const format of ['v7', 'ustar', 'gnu', 'posix']) {
    const bytes = tar(t, { 'a.txt': Buffer.from('nothing'), 'b/note.txt': NOTE }, `--format=${format}`)
    assert.deepEqual(await scanned(t, 'a.tar', bytes), { places: ['a.tar!b/note.txt:2:6'], unread: [] }, format)
    const packed = await scanned(t, 'a.tgz', gzipSync(bytes))
    assert.deepEqual(packed, { places: ['a.tgz!b/note.txt:2:6'], unread: [] }, format)
  }
  for (const format of ['gnu', 'posix'])
    assert.deepEqual(await scanned(t, 'a.tar', tar(t, { [LONG_NAME]: NOTE }, `--format=${format}`)), {
      places: [`a.tar!${LONG_NAME}:2:6`],
      unread: [],
    })
})

test('keys are found in zip files: stored, compressed, in the larger form, in archives within', async (t) => {
  const inner = zipFile([{ name: 'inner.txt', bytes: NOTE }])
  const members = [
    { name: 'stored.txt', bytes: NOTE, stored: true },
    { name: 'ü/packed.txt', bytes: NOTE },
    { name: 'inner.jar', bytes: inner, stored: true },
    { name: 'inner.tgz', bytes: gzipSync(tar(t, { 'x.zip': inner })) },
  ]
  const places = [
    'a.zip!inner.jar!inner.txt:2:6',
    'a.zip!inner.tgz!x.zip!inner.txt:2:6',
    'a.zip!stored.txt:2:6',
    'a.zip!ü/packed.txt:2:6',
  ]
  for (const options of [{}, { comment: 'a comment' }, { sizesIn64Bits: true }])
    assert.deepEqual(await scanned(t, 'a.zip', zipFile(members, options)), { places, unread: [] })
})

test('a key between the entries of an archive, or in its comment, does not hide', async (t) => {
  const bytes = zipFile([{ name: 'a.txt', bytes: Buffer.from('nothing') }], { comment: TOKEN })
  const { places } = await scanned(t, 'a.zip', bytes)
  assert.equal(places.length, 1)
  assert.match(places[0] ?? '', /^a\.zip:1:\d+$/)
})

test('what cannot be read in an archive is named, and the rest is read', async (t) => {
  const members = [
    { name: 'secret.txt', bytes: NOTE, encrypted: true },
    { name: 'open.txt', bytes: NOTE },
  ]
  assert.deepEqual(await scanned(t, 'a.zip', zipFile(members)), {
    places: ['a.zip!open.txt:2:6'],
    unread: ['a.zip!secret.txt is encrypted'],
  })
  assert.deepEqual(await scanned(t, 'a.7z', Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1')), {
    places: [],
    unread: ['a.7z is a 7z archive, which cannot be opened here'],
  })
})

/** Its end speaks of more entries than there are. */
function withLargerDirectory(zip: Buffer): Buffer {
  zip.writeUInt32LE(zip.readUInt32LE(zip.length - 10) + 46, zip.length - 10)
  return zip
}

test('a damaged archive is said to be damaged, never to be clean', async (t) => {
  const archive = tar(t, { 'a.txt': NOTE, 'b.bin': Buffer.alloc(5000, 'b') })
  const cases: Record<string, Buffer> = {
    'a.gz': gzipSync(NOTE).subarray(0, -12),
    'b.gz': Buffer.from('1f8b08ffffffffffffffffffff', 'hex'),
    'a.zst': zstdCompressSync(Buffer.alloc(1000, NOTE)).subarray(0, 30),
    'a.tar': archive.subarray(0, 2000),
    'a.zip': zipFile([{ name: 'a.txt', bytes: NOTE }]).subarray(0, -5),
    'c.zip': withLargerDirectory(zipFile([{ name: 'a.txt', bytes: NOTE }])),
    'b.zip': Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(100)]),
  }
  for (const [name, bytes] of Object.entries(cases)) {
    const { unread } = await scanned(t, name, bytes)
    assert.equal(unread.length, 1, name)
    assert.match(unread[0] ?? '', new RegExp(`^${name.replace('.', '\\.')} is (?:damaged|cut off)`))
  }
})

test('what unpacks to too much, nests too deep or has too many entries is left, and named', async (t) => {
  const bomb = gzipSync(gzipSync(Buffer.alloc(1_000_000)))
  assert.deepEqual(await scan(bomb, new Budget(999_999)), ['x unpacks to too much; unpack it and scan the folder'])
  assert.deepEqual(await scan(bomb, new Budget()), [])
  const zip = zipFile([{ name: 'zeros', bytes: Buffer.alloc(1_000_000) }])
  assert.deepEqual(await scan(zip, new Budget(999_999)), ['x!zeros unpacks to too much; unpack it and scan the folder'])
  const many = tar(t, { a: Buffer.from('a'), b: Buffer.from('b'), c: Buffer.from('c') })
  assert.deepEqual(await scan(many, new Budget(1e6, 2)), ['x has too many entries; unpack it and scan the folder'])
  let nested = NOTE
  for (let depth = 0; depth < 9; depth++) nested = gzipSync(nested)
  assert.deepEqual(await scan(nested, new Budget()), ['x is an archive 8 levels deep; unpack it and scan the folder'])
})

test('zip files within each other share the memory that they are held in, and give it back', async () => {
  const inner = zipFile([{ name: 'padding', bytes: Buffer.alloc(50_000), stored: true }])
  const middle = zipFile([{ name: 'inner.zip', bytes: inner, stored: true }])
  const outer = zipFile(['a', 'b'].map((name) => ({ name, bytes: middle, stored: true })))
  const isTooLarge = 'is a zip file too large to open within another; unpack it and scan the folder'
  const unread = await scan(outer, new Budget(1e9, 1e6, outer.length + middle.length + 10_000))
  assert.deepEqual(unread, [`x!a!inner.zip ${isTooLarge}`, `x!b!inner.zip ${isTooLarge}`])
  assert.deepEqual(await scan(outer, new Budget(1e9, 1e6, outer.length + middle.length + inner.length)), [])
})

test('a name of a megabyte is not kept whole', async (t) => {
  const bytes = tar(t, { note: NOTE }, '--format=posix', '--pax-option', `path=${'x'.repeat(100_000)}`)
  const { places } = await scanned(t, 'a.tar', bytes)
  assert.equal(places.length, 1)
  assert.ok((places[0]?.length ?? 0) < 5000)
})

test('xz and bzip2 are read where their programs are, and reported where they are not', async (t) => {
  for (const [program, suffix] of [
    ['xz', 'xz'],
    ['bzip2', 'bz2'],
  ] as const) {
    const folder = temporaryFolder(t)
    const file = join(folder, 'note')
    writeFileSync(file, NOTE)
    if (spawnSync(program, [file]).error !== undefined) {
      t.diagnostic(`no ${program} here`)
      continue
    }
    const name = `note.${suffix}`
    const bytes = readFileSync(join(folder, name))
    assert.deepEqual(await scanned(t, name, bytes), { places: [`${name}:2:6`], unread: [] })
    const { unread } = await scanned(t, name, bytes.subarray(0, -9))
    assert.deepEqual(unread, [`${name} is damaged, or cut off`])
    const { PATH = '' } = process.env
    process.env.PATH = folder
    t.after(() => {
      process.env.PATH = PATH
    })
    const without = await scanned(t, name, bytes)
    process.env.PATH = PATH
    assert.deepEqual(without.unread, [`${name} can be read only where the program ${program} is installed`])
  }
})
