import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LineSink } from '../../src/cli/serve/logger.ts'

const LINE = `${'x'.repeat(1023)}\n`
const MIB_OF_LINES = 1024

/** A destination that accepts blocks only when the test allows it. */
function stalledDestination() {
  const blocks: Uint8Array[] = []
  const waiting: ((lostLines: number) => void)[] = []
  return {
    blocks,
    writeBlock(block: Uint8Array, done: (lostLines: number) => void) {
      blocks.push(block)
      waiting.push(done)
    },
    /** Lets the current block be written, and any that follow. */
    release() {
      for (let done = waiting.shift(); done !== undefined; done = waiting.shift()) done(0)
    },
  }
}

const bytesOf = (blocks: Uint8Array[]) => blocks.reduce((sum, block) => sum + block.length, 0)

test('while the log is not read, 16 MiB of lines wait, and further whole lines are dropped', async () => {
  const destination = stalledDestination()
  const sink: LineSink = new LineSink(destination.writeBlock, (lines) => sink.write(`lost ${lines}\n`))
  for (let i = 0; i < 40 * MIB_OF_LINES; i++) sink.write(LINE)
  assert.equal(destination.blocks.length, 1, 'one block is under way')
  destination.release()
  const kept = bytesOf(destination.blocks)
  assert.ok(kept >= 16 * 1024 * 1024, `${kept} bytes were kept`)
  assert.ok(kept <= 17 * 1024 * 1024, `${kept} bytes were kept`)
  assert.equal(kept % LINE.length, 0)
  const { lostLines } = sink.stats
  assert.equal(lostLines, 40 * MIB_OF_LINES - kept / LINE.length)

  sink.write('a line of later\n')
  const ended = sink.end()
  destination.release()
  assert.equal(await ended, 0)
  assert.equal(Buffer.from(destination.blocks.at(-1) ?? []).toString(), `lost ${lostLines}\na line of later\n`)
})
