import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandOutput } from '../../../src/import/snapshot/command-output.ts'

const printed = async (chunks: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(chunks)).toString()

test('a command that takes too long is killed, even if it ignores SIGTERM', async () => {
  await assert.rejects(
    printed(commandOutput("trap '' TERM; sleep 700 | cat", undefined, 300)),
    /^UserError: nothing was synced: the command took longer than 0\.3 seconds$/,
  )
})

test('a command that ignores SIGTERM is killed a few seconds after it was told to stop', async () => {
  const stopping = new AbortController()
  const reading = async () => {
    for await (const _ of commandOutput("trap '' TERM; echo ready; sleep 700 | cat", stopping.signal)) stopping.abort()
  }
  await assert.rejects(reading(), { name: 'AbortError' })
})
