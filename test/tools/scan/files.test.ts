import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createToken } from '../../../src/lib/key-format.ts'
import { type Findings, locationText, placeText } from '../../../src/tools/scan/findings.ts'
import { scanPaths } from '../../../src/tools/scan/scan.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const placesIn = ({ keys }: Findings, folder: string) =>
  keys.flatMap(({ places }) => places).map((place) => placeText(place).replace(`${folder}/`, ''))

test('a folder is read recursively, hidden files too, and the places are in order', async (t) => {
  const folder = temporaryFolder(t)
  const [one, other] = [createToken(), createToken()]
  mkdirSync(join(folder, 'a/.hidden/b'), { recursive: true })
  writeFileSync(join(folder, 'z.txt'), `${one}\n${one} ${other}`)
  writeFileSync(join(folder, 'a/.hidden/b/.env'), `KEY=${other}`)
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x2e])]), one)
  const findings = await scanPaths([folder])
  assert.deepEqual(
    findings.keys.map(({ prefix, places }) => [prefix, places.map((place) => placeText(place).replace(folder, ''))]),
    [
      [other.slice(0, 10), ['/a/.hidden/b/.env:1:5', '/z.txt:2:55']],
      [one.slice(0, 10), ['/z.txt:1:1', '/z.txt:2:1', '/\uFFFD.:1:1']],
    ],
  )
  assert.deepEqual([findings.files, findings.unread], [3, []])
})

test('links are not followed, so a cycle of them is harmless; skipped entries are counted', async (t) => {
  const folder = temporaryFolder(t)
  const elsewhere = temporaryFolder(t)
  writeFileSync(join(elsewhere, 'key'), createToken())
  symlinkSync('.', join(folder, 'circle'))
  symlinkSync(elsewhere, join(folder, 'out'))
  const server = createServer().listen(join(folder, 'socket'))
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { keys, skipped, unread } = await scanPaths([folder])
  assert.deepEqual([keys, unread], [[], []])
  assert.deepEqual([...skipped].sort(), [
    ['socket', 1],
    ['symbolic link', 2],
  ])
  const named = await scanPaths([join(folder, 'out')])
  assert.deepEqual(placesIn(named, folder), ['out/key:1:1'])
})

test('unreadable paths are named with the reason', async (t) => {
  const folder = temporaryFolder(t)
  const missing = join(folder, 'missing')
  const closed = join(folder, 'closed')
  mkdirSync(closed)
  writeFileSync(join(folder, 'closed.txt'), createToken())
  chmodSync(join(folder, 'closed.txt'), 0)
  chmodSync(closed, 0)
  const { keys, unread } = await scanPaths([folder, missing])
  const reasons = unread.map(({ at, reason }) => `${locationText(at).replace(`${folder}/`, '')} ${reason}`).sort()
  // Who is root may read everything.
  if (process.getuid?.() === 0) assert.deepEqual([reasons, keys.length], [['missing does not exist'], 1])
  else {
    const expected = [
      'closed cannot be read: permission denied',
      'closed.txt cannot be read: permission denied',
      'missing does not exist',
    ]
    assert.deepEqual([reasons, keys.length], [expected, 0])
  }
})

test('a hundred places of a key are kept, and the rest are counted', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'log'), `${createToken()}\n`.repeat(5000).replaceAll(/^/gm, ''))
  const { keys } = await scanPaths([folder])
  assert.deepEqual(
    keys.map(({ places, morePlaces }) => [places.length, morePlaces]),
    [[100, 4900]],
  )
})

test('a key across the boundary of two chunks of a large file is found', async (t) => {
  const folder = temporaryFolder(t)
  const token = createToken()
  writeFileSync(join(folder, 'large'), `${'line\n'.repeat(209_710)}${token}\n`)
  assert.deepEqual(placesIn(await scanPaths([folder]), folder), ['large:209711:1'])
})

test('of very many keys in very many places, each has one, and no more are held than fit into memory', async (t) => {
  const folder = temporaryFolder(t)
  const tokens = Array.from({ length: 1000 }, createToken).join('\n')
  for (let i = 0; i < 40; i++) writeFileSync(join(folder, `${i}`), tokens)
  const { keys } = await scanPaths([folder])
  assert.ok(keys.every(({ places }) => places.length > 0))
  const [held, more] = [keys.flatMap(({ places }) => places).length, keys.reduce((sum, key) => sum + key.morePlaces, 0)]
  assert.deepEqual([held, held + more], [20_000, 40_000])
})

test('compressed files are searched as they are, and counted', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'a.gz'), gzipSync(createToken()))
  writeFileSync(join(folder, 'a.tar'), `${createToken()}`)
  const { keys, skipped } = await scanPaths([folder, '-'], { stdin: Readable.from([gzipSync(createToken())]) })
  assert.deepEqual([keys.length, [...skipped]], [1, [['compressed file', 2]]])
})

test('a large file that is a pipe, as a shell provides it, is read to its end', async (t) => {
  const folder = temporaryFolder(t)
  const token = createToken()
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const writer = spawn('sh', ['-c', 'exec 3>"$0"; head -c 3000000 /dev/zero >&3; echo "$1" >&3', pipe, token])
  const { keys } = await scanPaths([pipe])
  assert.equal(keys.length, 1)
  assert.equal(writer.exitCode ?? (await once(writer, 'exit'))[0], 0)
})
