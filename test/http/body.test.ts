import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

/** Half a kilobyte for each of the chunks would be many times as much. */
const resourceLimits = { maxOldGenerationSizeMb: 48 }

test('a body takes no more memory for being sent byte by byte', async (t) => {
  const thread = new Worker(new URL('../support/tiny-chunks.ts', import.meta.url), { resourceLimits })
  t.after(() => thread.terminate())
  const ended = once(thread, 'exit').then(([code]) => assert.fail(`the thread ended with exit code ${code}`))
  const [isWhole] = await Promise.race([once(thread, 'message'), ended])
  assert.equal(isWhole, true)
})
