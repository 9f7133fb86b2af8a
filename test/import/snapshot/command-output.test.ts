import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { commandOutput } from '../../../src/import/snapshot/command-output.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

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

test('a machine without sh is reported as such', async (t) => {
  const { PATH } = process.env
  t.after(() => {
    process.env.PATH = PATH
  })
  process.env.PATH = temporaryFolder(t)
  await assert.rejects(printed(commandOutput('true')), /the command could not be started: sh cannot be run$/)
})

test('a command is not started once the sync was told to stop', async (t) => {
  const folder = temporaryFolder(t)
  const stopped = AbortSignal.abort(new Error('stopped'))
  await assert.rejects(printed(commandOutput(`touch ${folder}/started`, stopped)), /^Error: stopped$/)
  assert.deepEqual(readdirSync(folder), [])
})

test('reading that stops early stops the command', async () => {
  for await (const chunk of commandOutput('echo a; sleep 600 | cat')) {
    assert.equal(chunk.toString(), 'a\n')
    break
  }
})
