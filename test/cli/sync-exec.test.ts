import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { counts } from '../import/syncing.ts'
import { waitUntil } from '../support/wait.ts'
import { snapshotOf, syncProgram } from './sync-program.ts'

test('a command prints a snapshot, which counts only if it exits with 0', async (t) => {
  const { sync, writeFile, column, ids } = await syncProgram(t, 'tracker')
  const exec = (command: string) => sync('--exec', command)
  writeFile('tasks.csv', 'id,title\na,A\n')
  writeFile('more.csv', 'id,title\nb,B\n')
  assert.deepEqual(await exec('cat tasks.csv'), counts(1, 0, 0, 0))
  assert.match(await exec('cat more.csv; exit 1'), /nothing was synced: the command failed with exit code 1/)
  writeFile('killed.sh', 'cat more.csv\nkill -9 $$\n')
  assert.match(await exec('exec sh killed.sh'), /the command was ended by SIGKILL/)
  assert.match(await exec('no-such-program'), /the command failed with exit code 127/)
  assert.deepEqual(await ids(), ['a'])
  assert.deepEqual(await exec('TOKEN=hush cat tasks.csv'), counts(0, 0, 0, 1))
  assert.deepEqual(await column('SELECT location FROM sources'), ['the output of a command'])
})

test('a repeated sync runs the command each time, and stopping it stops the command', async (t) => {
  const { begin, writeFile, ids, folder, words } = await syncProgram(t, 'tracker')
  writeFile('export.sh', `cat ${writeFile('one.json', snapshotOf('a'))}\n`)
  const running = await begin(
    ...[...words, '--every', '1s', '--json', '--exec'],
    "sh export.sh; test -e again && { sh -c 'echo $$ > pid; exec sleep 600' | cat; }; touch again",
  )
  await running.printed('"created":1')
  await waitUntil(() => startedProgram(folder) > 0, { message: 'the second run did not begin' })
  assert.equal(await running.stop(), 0)
  assert.deepEqual(await ids(), ['a'])
  await untilEnded(folder)
})

/** The process ID of the program that sh started; 0 if it has not started yet. */
function startedProgram(folder: string): number {
  const file = join(folder, 'pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
}

function untilEnded(folder: string): Promise<void> {
  const pid = startedProgram(folder)
  const hasEnded = () => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  }
  return waitUntil(hasEnded, { message: 'the program did not end' })
}
