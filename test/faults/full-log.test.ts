import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PROGRAM } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { gather, waitUntil } from '../support/wait.ts'

/**
 * No file of the server may grow beyond this. At the limit a write is cut short and the next one fails, as on a disk without
 * space; unlike that, it needs no privileges. The limit of a running process can be raised, as space can be freed.
 */
const LIMIT_BLOCKS = 16_384
const LIMIT_BYTES = LIMIT_BLOCKS * 512

const skip = spawnSync('prlimit', ['--version']).error === undefined ? false : 'there is no prlimit on this system'

interface LimitedServer {
  url: string
  child: ChildProcess
  stderr(): string
  stop(): Promise<number | null>
}

/** Appends its log to a file, whose size it may not raise beyond the limit. */
async function startLimited(t: TestContext, folder: string, log: string): Promise<LimitedServer> {
  const command = `trap '' XFSZ; ulimit -S -f ${LIMIT_BLOCKS}; exec "${PROGRAM}" serve >>"${log}"`
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'vitrine.db')}` }
  const child = spawn('sh', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const stderr = gather(child.stderr)
  const exit = once(child, 'close')
  await waitUntil(() => /listens on (\S+)/.test(stderr()))
  const url = /listens on (\S+)/.exec(stderr())?.[1] ?? ''
  return {
    url,
    child,
    stderr,
    async stop() {
      child.kill('SIGTERM')
      return (await exit)[0]
    },
  }
}

const linesOf = (log: string) => readFileSync(log, 'utf8').split('\n')

test('a log whose disk was full has every line, each complete', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const log = join(folder, 'log')
  // Room for a few lines only: one of them will be cut.
  const before = 'x'.repeat(LIMIT_BYTES - 1000)
  writeFileSync(log, `${before}\n`)
  const server = await startLimited(t, folder, log)
  const ids: (string | null)[] = []
  const ask = async () => ids.push((await fetch(`${server.url}/tasks`)).headers.get('x-request-id'))
  for (let i = 0; i < 20; i++) await ask()
  await waitUntil(() => readFileSync(log).length === LIMIT_BYTES, { message: 'the disk is not full' })
  for (let i = 0; i < 20; i++) await ask()
  assert.equal(spawnSync('prlimit', ['--pid', String(server.child.pid), '--fsize=unlimited']).status, 0)
  await ask()
  await waitUntil(() => readFileSync(log).length > LIMIT_BYTES, { message: 'the log does not continue' })
  assert.equal(await server.stop(), 0)
  const [first, ...rest] = linesOf(log)
  assert.equal(first, before)
  assert.equal(rest.pop(), '', 'it ends with a whole line')
  const lines = rest.map((line) => JSON.parse(line) as { requestId?: string; msg?: string })
  const logged = lines.flatMap(({ requestId }) => requestId ?? [])
  assert.deepEqual(logged.toSorted(), ids.toSorted())
  assert.equal(lines.at(-1)?.msg, 'stopped')
  assert.doesNotMatch(server.stderr(), /log could not be written/)
})

test('a server that ends on a full disk reports how many lines are lost', {
  skip,
}, async (t) => {
  const folder = temporaryFolder(t)
  const log = join(folder, 'log')
  writeFileSync(log, `${'x'.repeat(LIMIT_BYTES - 1000)}\n`)
  const full = await startLimited(t, folder, log)
  for (let i = 0; i < 20; i++) await fetch(`${full.url}/tasks`)
  await waitUntil(() => readFileSync(log).length === LIMIT_BYTES)
  assert.equal(await full.stop(), 0)
  assert.match(full.stderr(), /vitrine: the log could not be written; lost lines: \d+\n$/)
  const cut = linesOf(log).at(-1) ?? ''
  assert.throws(() => JSON.parse(cut), 'a line was cut')
})
