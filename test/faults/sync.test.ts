/** A sync is one change: whenever it is read or killed, the tasks are those of the old snapshot or of the new one. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { titleCounts } from '../import/syncing.ts'
import { connectElsewhere, type Engine, onEach } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { acmeProgram, PROGRAM } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

const TASKS = 1000
const KILLS = 4

/** Two snapshots that differ in every task: the first hundred are changed, of the others half go and half are new. */
async function start(t: TestContext, engine: Engine) {
  const vitrine = await acmeProgram(t, {
    DATABASE_URL: await migratedDatabaseUrl(t, engine),
    RATE_LIMIT: '1000000;w=60',
  })
  for (const [name, offset] of [
    ['A', 0],
    ['B', TASKS / 2],
  ] as const) {
    const tasks = Array.from({ length: TASKS }, (_, i) => {
      const id = i < 100 ? `shared ${i}` : `own ${i + offset}`
      return { id, title: name, details: 'x'.repeat(200), dueAt: `2026-12-01T00:00:00Z` }
    })
    writeFileSync(join(vitrine.folder, name), tasks.map((task) => JSON.stringify(task)).join('\n'))
  }
  const sync = ['task', 'sync', '--workspace', 'acme', '--source', 'tracker', '--max-gone', '100%']
  const elsewhere = await connectElsewhere(vitrine.env.DATABASE_URL ?? '', t)
  const ask = async (sql: string) => (await elsewhere.all<Record<string, unknown>>(sql)).map((row) => ({ ...row }))
  return { ...vitrine, sync, ask }
}

onEach('a sync killed at any moment leaves the old state or the new one', async (t, engine) => {
  const { sync, ask, ok, run, env, folder } = await start(t, engine)
  const state = async () => {
    const titles = await ask(titleCounts(engine))
    assert.deepEqual(
      titles.map(({ n }) => Number(n)),
      [TASKS],
      JSON.stringify(titles),
    )
    return String(titles[0]?.title)
  }
  await ok(...sync, 'A')
  const beganAt = performance.now()
  await ok(...sync, 'B')
  const tookMs = performance.now() - beganAt
  const entries = async () => Number((await ask(`SELECT count(*) AS n FROM audit WHERE action = 'tasks.synced'`))[0]?.n)
  const isWriting = () =>
    ask(engine === 'sqlite' ? 'BEGIN IMMEDIATE' : 'SELECT 1 FROM revisions FOR UPDATE NOWAIT').then(
      async () => {
        if (engine === 'sqlite') await ask('ROLLBACK')
        return false
      },
      () => true,
    )
  if (engine === 'sqlite') await ask('PRAGMA busy_timeout = 0')
  let [now, written] = ['B', await entries()]
  for (let kill = 0; kill < KILLS; kill++) {
    const next = now === 'A' ? 'B' : 'A'
    const child = spawn(PROGRAM, [...sync, next], { cwd: folder, env, stdio: 'ignore' })
    const exited = once(child, 'exit')
    // Every second one at a moment within the transaction that writes; the others at any time.
    if (kill % 2 === 0) await Promise.race([exited, delay(tookMs * Math.random())])
    else {
      while (child.exitCode === null && !(await isWriting())) await delay(1)
      await Promise.race([exited, delay(0.4 * tookMs * Math.random())])
    }
    child.kill('SIGKILL')
    await exited
    await state()
    // A server of PostgreSQL may still be at work on what it was sent; the lock goes when it is done.
    for (;;) {
      const again = await run(...sync, '--json', next)
      if (/is already being synced/.test(again.stderr)) continue
      assert.equal(again.code, 0, again.stderr)
      // It found the old state, and changed all of it, or the new one, and changed nothing.
      const half = TASKS / 2
      const all = { created: half, changed: half, gone: half, unchanged: 0 }
      const none = { created: 0, changed: 0, gone: 0, unchanged: TASKS }
      const counts = JSON.parse(again.stdout)
      assert.deepEqual(counts, counts.unchanged === 0 ? all : none)
      break
    }
    now = await state()
    assert.equal(now, next)
    assert.equal(await entries(), ++written, 'each change has its entry, once')
  }
  assert.match(await ok('audit', 'verify'), /^ok /)
  assert.equal((await run('doctor')).code, 0)
})

onEach('no reader sees part of a sync, on the server or in the database', async (t, engine) => {
  const { sync, ask, ok, createKey, start: launch } = await start(t, engine)
  await ok(...sync, 'A')
  const { token: key } = await createKey()
  const server = await launch('serve')
  let isOver = false
  const seen: string[] = []
  const readServer = async () => {
    while (!isOver) {
      const response = await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } })
      const { tasks } = (await response.json()) as { tasks: { title: string }[] }
      const titles = new Set(tasks.map(({ title }) => title))
      assert.equal(titles.size, 1, [...titles].join(' and '))
      assert.equal(tasks.length, 100)
      const [title = ''] = titles
      if (seen.at(-1) !== title) seen.push(title)
    }
  }
  const readDatabase = async () => {
    while (!isOver) {
      const titles = await ask(titleCounts(engine))
      assert.deepEqual(
        titles.map(({ n }) => Number(n)),
        [TASKS],
      )
      await delay(1)
    }
  }
  const untilSeen = (title: string) => waitUntil(() => seen.at(-1) === title, { message: `${title} was not read` })
  const readers = Promise.all([readServer(), readDatabase()])
  try {
    await untilSeen('A')
    for (const next of ['B', 'A']) {
      await ok(...sync, next)
      await untilSeen(next)
    }
  } finally {
    isOver = true
    await readers
  }
  assert.deepEqual(seen, ['A', 'B', 'A'])
  assert.equal(await server.stop(), 0)
})
