import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createToken } from '../../src/keys/token.ts'
import { Budget } from '../../src/lib/archives/limits.ts'
import { scanStream } from '../../src/tools/scan/content.ts'
import { Findings } from '../../src/tools/scan/findings.ts'
import { temporaryFolder } from '../support/database.ts'
import { randomFrom } from '../support/random.ts'
import { zipFile } from '../support/zip-file.ts'

const TRIES = 5000
const BUDGET_BYTES = 10_000_000

function tarOf(t: TestContext, format: string): Buffer {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'a.txt'), createToken())
  writeFileSync(join(folder, `${'b'.repeat(120)}.zip`), zipFile([{ name: 'c', bytes: Buffer.from(createToken()) }]))
  return spawnSync('tar', ['-C', folder, `--format=${format}`, '-cf', '-', '.']).stdout
}

test('an archive damaged in any way is read to its end or reported, without an unexpected failure', async (t) => {
  const text = Buffer.from(`${createToken()}\n`.repeat(50))
  const samples = [
    zipFile([
      { name: 'a', bytes: text },
      { name: 'b', bytes: text, stored: true },
    ]),
    zipFile([{ name: 'a', bytes: text }], { sizesIn64Bits: true, comment: 'x' }),
    tarOf(t, 'gnu'),
    tarOf(t, 'posix'),
    gzipSync(tarOf(t, 'gnu')),
    zstdCompressSync(text),
    gzipSync(gzipSync(text)),
  ]
  const seed = Number(process.env.SEED ?? Date.now() % 1e9)
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  let reported = 0
  for (let i = 0; i < TRIES; i++) {
    const bytes = Buffer.from(samples[below(samples.length)] as Buffer)
    for (let changes = 1 + below(4); changes > 0; changes--) bytes[below(bytes.length)] = below(256)
    const whole = below(4) === 0 ? bytes.subarray(0, below(bytes.length)) : bytes
    const chunkBytes = 1 + below(2000)
    const chunks = async function* () {
      for (let at = 0; at < whole.length; at += chunkBytes) yield whole.subarray(at, at + chunkBytes)
    }
    const findings = new Findings()
    await scanStream(findings, { file: 'x' }, chunks(), new Budget(BUDGET_BYTES, 1000))
    assert.ok(findings.bytes < 2 * BUDGET_BYTES)
    if (findings.unread.length > 0) reported++
  }
  assert.ok(reported > 0)
})
