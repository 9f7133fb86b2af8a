import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

/** Half a kilobyte for each of the chunks would be many times as much. */
const resourceLimits = { maxOldGenerationSizeMb: 48 }

test('a body takes no more memory for being sent byte by byte', async () => {
  const thread = new Worker(new URL('../support/tiny-chunks.ts', import.meta.url), { resourceLimits })
  const [isWhole] = await once(thread, 'message')
  assert.equal(isWhole, true)
})
