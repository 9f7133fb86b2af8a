import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearProgress, Progress } from '../../src/cli/progress.ts'

test('progress is shown on a terminal only, and clears its line', async (t) => {
  const now = t.mock.method(performance, 'now', () => 0)
  const written: string[] = []
  const write = (words: string) => written.push(words)
  for (const terminal of [{ write }, { write, isTTY: true }]) {
    now.mock.mockImplementation(() => 0)
    const progress = new Progress(terminal)
    progress.expect(1000)
    progress.show(1, 1)
    now.mock.mockImplementation(() => 200)
    progress.show(500, 1234)
    progress.show(501, 1235)
    progress.show(1000, 2468)
    progress.finish('comparing them')
    progress.finish('storing them')
    progress.clear()
    progress.clear()
  }
  assert.deepEqual(written, [
    '\r\x1b[K████████████░░░░░░░░░░░░   50 %  1,234 records',
    '\r\x1b[K████████████████████████  100 %  2,468 records',
    '\r\x1b[K████████████████████████  100 %  2,468 records, comparing them …',
    '\r\x1b[K████████████████████████  100 %  2,468 records, storing them …',
    '\r\x1b[K',
  ])
})

test('a phase is shown at once, since nothing can be drawn while the database is at it; counts only now and then', (t) => {
  const now = t.mock.method(performance, 'now', () => 0)
  const written: string[] = []
  const progress = new Progress({ isTTY: true, columns: 40, write: (words) => written.push(words) })
  progress.phase('checking the integrity')
  progress.count('verifying', 1, 'entries')
  now.mock.mockImplementation(() => 150)
  progress.count('verifying', 1200, 'entries')
  progress.count('verifying', 1201, 'entries')
  now.mock.mockImplementation(() => 300)
  progress.count('copying', 5, 'MiB', 10)
  clearProgress()
  clearProgress()
  assert.deepEqual(written, [
    '\r\x1b[Kchecking the integrity …',
    '\r\x1b[Kverifying:  1,200 entries',
    // Not longer than the terminal's line: of two lines only one could be erased.
    '\r\x1b[Kcopying:  ████████████░░░░░░░░░░░░   50',
    '\r\x1b[K',
  ])
})

test('one line is shown at a time', () => {
  const written: string[] = []
  const terminal = { isTTY: true, write: (words: string) => written.push(words) }
  const [first, second] = [new Progress(terminal), new Progress(terminal)]
  first.phase('one')
  second.phase('two')
  first.clear()
  clearProgress()
  assert.deepEqual(written, ['\r\x1b[Kone …', '\r\x1b[K', '\r\x1b[Ktwo …', '\r\x1b[K'])
})
