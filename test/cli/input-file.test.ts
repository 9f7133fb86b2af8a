import assert from 'node:assert/strict'
import { appendFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chunksOf } from '../../src/cli/input-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const LINE = '{"id":"a","title":"A"}\n'
const LINES = 10_000

for (const [what, change] of [
  ['grows', (file: string) => appendFileSync(file, LINE)],
  ['shrinks', (file: string) => truncateSync(file, LINE.length * 5000)],
  ['is written again', (file: string) => writeFileSync(file, LINE.repeat(LINES).replaceAll('A', 'B'))],
] as const)
  test(`a file that ${what} while it is read may be incomplete, and is refused`, async (t) => {
    const file = join(temporaryFolder(t), 'tasks.ndjson')
    writeFileSync(file, LINE.repeat(LINES))
    // Long ago: two writes within one tick of the system's clock have the same time.
    utimesSync(file, 1, 1)
    const chunks = chunksOf(file)
    assert.equal((await chunks.next()).done, false)
    change(file)
    await assert.rejects(Array.fromAsync(chunks), /tasks\.ndjson: changed while it was being read; try again when/)
  })
