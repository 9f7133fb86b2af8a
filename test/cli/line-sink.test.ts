import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LineSink } from '../../src/cli/line-sink.ts'

const LINE = `${'x'.repeat(1023)}\n`
const MIB_OF_LINES = 1024

/** A destination that takes blocks only when it is told to. */
function stalledDestination() {
  const blocks: Uint8Array[] = []
  const waiting: (() => void)[] = []
  return {
    blocks,
    writeBlock(block: Uint8Array, done: () => void) {
      blocks.push(block)
      waiting.push(done)
    },
    /** Lets the block under way be written, and any that follow from it. */
    release() {
      for (let done = waiting.shift(); done !== undefined; done = waiting.shift()) done()
    },
  }
}

const bytesOf = (blocks: Uint8Array[]) => blocks.reduce((sum, block) => sum + block.length, 0)

test('while nobody reads the log, 16 MiB of lines wait and the rest is dropped, whole lines only', async () => {
  const destination = stalledDestination()
  const sink = new LineSink(destination.writeBlock)
  for (let i = 0; i < 40 * MIB_OF_LINES; i++) sink.write(LINE)
  assert.equal(destination.blocks.length, 1, 'one block is under way')
  destination.release()
  const kept = bytesOf(destination.blocks)
  assert.ok(kept >= 16 * 1024 * 1024, `${kept} bytes were kept`)
  assert.ok(kept <= 17 * 1024 * 1024, `${kept} bytes were kept`)
  assert.equal(kept % LINE.length, 0)

  sink.write('a line of later\n')
  const ended = sink.end()
  destination.release()
  await ended
  assert.equal(Buffer.from(destination.blocks.at(-1) ?? []).toString(), 'a line of later\n')
})

test('a line that comes while a block is written is written after it, in order', async () => {
  const destination = stalledDestination()
  const sink = new LineSink(destination.writeBlock)
  const lines = Array.from({ length: 300 }, (_, i) => `${String(i).padStart(3, '0')}${LINE}`)
  for (const line of lines) sink.write(line)
  const ended = sink.end()
  destination.release()
  await ended
  assert.equal(Buffer.concat(destination.blocks).toString(), lines.join(''))
})
