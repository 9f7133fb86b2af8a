import assert from 'node:assert/strict'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { engineUnderTest } from '../support/database.ts'
import { acmeProgram } from '../support/program.ts'
import { feed, syncOf } from './sync-program.ts'

async function start(t: TestContext) {
  const vitrine = await acmeProgram(t)
  const SYNC = syncOf('tracker')
  return {
    ...vitrine,
    file: vitrine.writeFile,
    sync: (...args: string[]) => vitrine.run(...SYNC, ...args),
    /** A sync that reads from a pipe. */
    feed: () => feed(t, vitrine, [...SYNC, '--json']),
    async ask(sql: string): Promise<string[]> {
      const rows = await vitrine.query<Record<string, unknown>>(sql)
      return rows.map((row) => Object.values(row).join(' '))
    },
  }
}

const lines = (count: number) => Array.from({ length: count }, (_, i) => `{"id":"${i}","title":"Task"}\n`).join('')

test('a sync reports what it did in words on stderr, and with --json in counts on stdout', async (t) => {
  const { sync, file, ask } = await start(t)
  assert.deepEqual(await sync(file('tasks.ndjson', lines(1234))), {
    code: 0,
    stdout: '',
    stderr: 'Synced 1,234 tasks of tracker into acme: 1,234 new, 0 changed, 0 gone, 0 unchanged.\n',
  })
  assert.deepEqual(await sync('--json', 'tasks.ndjson'), {
    code: 0,
    stdout: '{"created":0,"changed":0,"gone":0,"unchanged":1234}\n',
    stderr: '',
  })
  assert.deepEqual(await ask('SELECT name, location, row_count FROM sources'), ['tracker tasks.ndjson 1234'])
})

test('a dry run prints the same and writes nothing, and is refused like a sync', async (t) => {
  const { sync, file, ask } = await start(t)
  await sync(file('tasks.ndjson', lines(100)))
  const counts = '{"created":0,"changed":0,"gone":50,"unchanged":50}\n'
  const refusal =
    'vitrine: nothing was synced: 50 of the 100 tasks of tracker would be removed, and the limit is 20; if that is correct, allow it with --max-gone 50\n'
  file('half.ndjson', lines(50))
  assert.deepEqual(await sync('half.ndjson'), { code: 1, stdout: '', stderr: refusal })
  const message = refusal.slice('vitrine: '.length, -1)
  const stderr = `${JSON.stringify({ error: { message, code: 'failed' } })}\n`
  assert.deepEqual(await sync('--json', '--dry-run', 'half.ndjson'), { code: 1, stdout: '', stderr })
  assert.deepEqual(await sync('--dry-run', '--max-gone', '50%', 'half.ndjson'), {
    code: 0,
    stdout: '',
    stderr: 'Nothing was written. A sync of tracker would result in: 0 new, 0 changed, 50 gone, 50 unchanged.\n',
  })
  assert.deepEqual(await ask('SELECT count(*) FROM list_items'), ['100'])
  assert.deepEqual(await sync('--json', '--max-gone', '50', 'half.ndjson'), { code: 0, stdout: counts, stderr: '' })
})

/** More than fits into a pipe: once it is written, the sync has begun to read, and holds its lock. */
const untilRead = (child: ChildProcessWithoutNullStreams) =>
  new Promise((resolve) => child.stdin.write(' '.repeat(1_000_000), resolve))

test('a source is synced by one process at a time, others may continue, and a killed one leaves it free', async (t) => {
  const { feed, sync, run, file, folder, ask } = await start(t)
  file('tasks.ndjson', lines(3))
  const busy = {
    code: 1,
    stdout: '',
    stderr: 'vitrine: the source tracker of acme is already being synced; try again later\n',
  }
  const { child, outcome } = feed()
  await untilRead(child)
  assert.deepEqual(await sync('tasks.ndjson'), busy)
  assert.deepEqual(await ask('SELECT name FROM sources'), [], 'it is not counted as a failure')
  assert.equal((await sync('--dry-run', 'tasks.ndjson')).code, 0)
  const other = await run(...syncOf('other'), file('o.csv', 'id,title\no,O\n'))
  assert.equal(other.code, 0, other.stderr)
  child.stdin.end(lines(2))
  assert.equal((await outcome).code, 0)
  assert.equal((await sync('tasks.ndjson')).code, 0)

  const killed = feed()
  await untilRead(killed.child)
  assert.deepEqual(await sync('tasks.ndjson'), busy)
  killed.child.kill('SIGKILL')
  assert.equal((await killed.outcome).code, null)
  // PostgreSQL soon notices that its client is gone.
  while ((await sync('tasks.ndjson')).code !== 0);
  assert.deepEqual(await ask(`SELECT count(*) FROM list_items WHERE source = 'tracker'`), ['3'])
  if (engineUnderTest() === 'sqlite')
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('-sync-')),
      [],
      'its lock files are gone',
    )
})
