import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { showCount, showPhase, withProgress } from '../../src/cli/terminal/progress.ts'

/** The output on stderr, as a terminal or not; the test sets the time. */
function stderrOf(t: TestContext, isTTY: boolean) {
  const { stderr } = process
  const before = { isTTY: stderr.isTTY, columns: stderr.columns }
  Object.assign(stderr, { isTTY, columns: 40 })
  t.after(() => Object.assign(stderr, before))
  const written: string[] = []
  t.mock.method(stderr, 'write', (text: string) => written.push(text))
  const now = t.mock.method(performance, 'now', () => 0)
  return { written, atMs: (ms: number) => now.mock.mockImplementation(() => ms) }
}

async function work(atMs: (ms: number) => void) {
  await withProgress('reading', async () => {
    showCount('reading', 1, 'records')
    atMs(150)
    showCount('reading', 1234, 'records')
    showCount('reading', 1235, 'records')
    showPhase('comparing them')
    atMs(300)
    showCount('copying the whole backup of the database', 5, 'MiB', 10)
  })
}

test('a phase is drawn at once, counts now and then, never exceeds a line, and is erased at the end', async (t) => {
  const { written, atMs } = stderrOf(t, true)
  await work(atMs)
  assert.deepEqual(written, [
    '\r\x1b[Kreading …',
    '\r\x1b[Kreading: 1,234 records',
    '\r\x1b[Kcomparing them …',
    '\r\x1b[Kcopying the whole backup of the databas',
    '\r\x1b[K',
  ])
})

test('nothing is drawn without a terminal', async (t) => {
  const { written, atMs } = stderrOf(t, false)
  await work(atMs)
  assert.deepEqual(written, [])
})
