import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { titleCounts } from '../import/syncing.ts'
import { type Program, program, type Running } from '../support/program.ts'
import { randomFrom } from '../support/random.ts'
import { gather } from '../support/wait.ts'
import type { Acknowledged } from './killed-process-main.ts'

const IMPORTED_TASKS = 60
const CHILD = join(import.meta.dirname, 'killed-process-main.ts')

interface KillReport {
  kills: Record<string, number>
  /** Changes that were acknowledged to a process before it was killed. */
  acknowledged: number
  reads: number
}

/** Kills writers, servers, backups and restores in turn, and checks the result of each before the next. */
export async function killRepeatedly(t: TestContext, kills: number, seed: number): Promise<KillReport> {
  const trials = await KillTrials.open(t, randomFrom(seed))
  for (let i = 0; i < kills; i++) await trials.kill(i)
  return trials.report
}

class KillTrials {
  readonly #vitrine: Program
  readonly #file: string
  readonly #random: () => number
  readonly #key: string
  #server: Running | undefined
  #title = ''
  readonly report: KillReport = { kills: {}, acknowledged: 0, reads: 0 }

  private constructor(vitrine: Program, key: string, random: () => number) {
    this.#vitrine = vitrine
    this.#file = join(vitrine.folder, 'vitrine.db')
    this.#key = key
    this.#random = random
  }

  static async open(t: TestContext, random: () => number): Promise<KillTrials> {
    const vitrine = program(t, { RATE_LIMIT: '1000000;w=60', LOG_LEVEL: 'warn' })
    vitrine.env.DATABASE_URL = `sqlite:${join(vitrine.folder, 'vitrine.db')}`
    await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
    const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'reader')
    return new KillTrials(vitrine, key, random)
  }

  async kill(i: number): Promise<void> {
    const kind = i % 10 === 4 ? 'server' : i % 10 === 7 ? 'restore' : i % 10 === 9 ? 'backup' : 'writer'
    this.report.kills[kind] = (this.report.kills[kind] ?? 0) + 1
    const name = `w${i}`
    if (kind === 'writer') await this.#killWriter(name)
    else if (kind === 'server') await this.#killServer(name)
    else if (kind === 'backup') await this.#killBackup()
    else await this.#killRestore()
  }

  /** While a server reads what it writes. */
  async #killWriter(name: string): Promise<void> {
    await this.#serve()
    const writer = this.#start('write', name)
    await writer.first('import')
    const reading = this.#read()
    await delay(this.#random() * 120)
    const acknowledged = await writer.kill()
    await reading
    this.#judge(name, acknowledged)
    await this.#judgeServer()
  }

  /** While a writer also writes, which continues and loses nothing. */
  async #killServer(name: string): Promise<void> {
    const server = await this.#serve()
    const writer = this.#start('write', name)
    await writer.first('import')
    const reading = this.#read().catch(() => {})
    await delay(this.#random() * 60)
    await server.stop('SIGKILL')
    this.#server = undefined
    await reading
    this.#judge(name, await writer.kill())
    await this.#serve()
    await this.#judgeServer()
  }

  /** Its remains are not a backup, and the next one removes them. */
  async #killBackup(): Promise<void> {
    const file = join(this.#vitrine.folder, 'killed-backup.db')
    const child = this.#start('backup', '', file)
    await child.first('begin')
    await delay(this.#random() * 40)
    await child.kill()
    if (existsSync(file)) assertSound(file)
    rmSync(file, { force: true })
    await this.#vitrine.ok('backup', file)
    assert.deepEqual(this.#filesLike('killed-backup.db'), ['killed-backup.db'])
    assertSound(file)
    rmSync(file)
  }

  /** The database is the old one or the new one, and whole. */
  async #killRestore(): Promise<void> {
    if (this.#server !== undefined) assert.equal(await this.#server.stop(), 0)
    this.#server = undefined
    const old = join(this.#vitrine.folder, 'old.db')
    copyFileSync(this.#file, old)
    const backup = join(this.#vitrine.folder, 'marked.db')
    copyFileSync(this.#file, backup)
    using marked = new Database(backup)
    marked.db.exec("PRAGMA journal_mode = DELETE; UPDATE workspaces SET country_code = 'FR'")
    marked.db.close()

    const child = this.#start('restore', '', backup)
    await child.first('begin')
    await delay(this.#random() * 80)
    const acknowledged = await child.kill()
    // SQLite creates an empty one when it opens the old database to leave the log.
    assert.equal(statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0)
    const before = assertSound(old)
    const after = assertSound(this.#file)
    const isNew = after.country === 'FR'
    if (acknowledged.some(({ did }) => did === 'restore')) assert.ok(isNew)
    assert.deepEqual({ ...after, country: null }, { ...before, country: null })
    // The server clears what the killed one left; the replaced database, if there is one, is whole.
    await this.#serve()
    for (const name of this.#filesLike('vitrine.db.')) {
      assert.ok(name.startsWith('vitrine.db.replaced-') && isNew, name)
      assertSound(join(this.#vitrine.folder, name))
      rmSync(join(this.#vitrine.folder, name))
    }
    await this.#judgeServer()
    using db = new Database(this.#file)
    db.db.exec('UPDATE workspaces SET country_code = NULL')
    for (const file of [old, backup]) rmSync(file)
  }

  #start(work: string, name: string, backup = '') {
    const url = this.#vitrine.env.DATABASE_URL ?? ''
    const child = spawn(process.execPath, [CHILD, work, url, name, backup, String(IMPORTED_TASKS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output = gather(child.stdout)
    let isClosed = false
    const closed = once(child, 'close').finally(() => {
      isClosed = true
    })
    const acknowledged = (): Acknowledged[] =>
      output()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    return {
      async first(did: Acknowledged['did']) {
        while (!acknowledged().some((one) => one.did === did)) {
          assert.ok(!isClosed, 'it ended by itself')
          await delay(2)
        }
      },
      kill: async () => {
        child.kill('SIGKILL')
        await closed
        const all = acknowledged()
        this.report.acknowledged += all.length - 1
        return all
      },
    }
  }

  async #serve(): Promise<Running> {
    this.#server ??= await this.#vitrine.start('serve')
    return this.#server
  }

  /** Whatever is written meanwhile, a response shows one state: all tasks have the title of the same import. */
  async #read(): Promise<void> {
    for (let i = 0; i < 20; i++) {
      const response = await this.#get()
      assert.equal(response.status, 200)
      const { tasks } = (await response.json()) as { tasks: { title: string }[] }
      assert.equal(new Set(tasks.map(({ title }) => title)).size, 1)
      this.report.reads++
    }
  }

  async #judgeServer(): Promise<void> {
    const response = await this.#get()
    assert.equal(response.status, 200)
    const { tasks } = (await response.json()) as { tasks: { title: string }[] }
    if (this.#title !== '')
      assert.ok(tasks.length === IMPORTED_TASKS && tasks.every(({ title }) => title === this.#title))
    this.report.reads++
  }

  #get(): Promise<Response> {
    return fetch(`${this.#server?.url}/tasks`, { headers: { authorization: `Bearer ${this.#key}` } })
  }

  #judge(name: string, acknowledged: readonly Acknowledged[]): void {
    using found = new Database(this.#file)
    const all = (sql: string, ...values: string[]) => found.db.prepare(sql).all(...values)
    assert.deepEqual(all('PRAGMA integrity_check').flatMap(Object.values), ['ok'])

    // Every change with its audit entry and every entry with its change, acknowledged or not.
    const entries = all('SELECT action, subject FROM audit WHERE actor = ?', name)
    const subjects = (action: string) => entries.filter((e) => e.action === action).map(({ subject }) => subject)
    const keys = all('SELECT id, revoked_at FROM api_keys WHERE created_by = ?', name)
    const revoked = keys.filter(({ revoked_at }) => revoked_at !== null)
    assert.deepEqual(keys.map(({ id }) => id).sort(), subjects('key.created').sort())
    assert.deepEqual(revoked.map(({ id }) => id).sort(), subjects('key.revoked').sort())
    const isMember = all('SELECT 1 FROM members WHERE email = ?', `${name}@acme.example`).length
    assert.equal(subjects('member.added').length - subjects('member.removed').length, isMember)
    const titles = all(titleCounts('sqlite'))
    assert.deepEqual(
      titles.map(({ n }) => n),
      [IMPORTED_TASKS],
    )
    const imports = subjects('tasks.imported').length
    assert.equal(titles[0]?.title, `${name}-${imports - 1}`)
    this.#title = String(titles[0]?.title)

    // Nothing acknowledged is missing, and at most one change was done without being acknowledged.
    const count = (did: Acknowledged['did']) => acknowledged.filter((one) => one.did === did).length
    for (const one of acknowledged) {
      if (one.did === 'create') assert.ok(keys.some(({ id }) => id === one.id))
      if (one.did === 'revoke') assert.ok(revoked.some(({ id }) => id === one.id))
    }
    assert.ok(imports >= count('import'))
    const excess = entries.length - (acknowledged.length - 1)
    assert.ok(excess === 0 || excess === 1, `${excess} changes were not acknowledged`)
  }

  #filesLike(start: string): string[] {
    return readdirSync(this.#vitrine.folder).filter((name) => name.startsWith(start))
  }
}

class Database {
  readonly db: DatabaseSync
  constructor(file: string) {
    this.db = new DatabaseSync(file, { timeout: 10_000 })
  }
  [Symbol.dispose](): void {
    if (this.db.isOpen) this.db.close()
  }
}

/** Returns its content, for comparison. */
function assertSound(file: string) {
  using found = new Database(file)
  const { db } = found
  assert.deepEqual(db.prepare('PRAGMA integrity_check').all().flatMap(Object.values), ['ok'], file)
  const text = (sql: string) =>
    createHash('sha256')
      .update(JSON.stringify(db.prepare(sql).all()))
      .digest('hex')
  return {
    country: db.prepare('SELECT country_code AS country FROM workspaces').get()?.country,
    tasks: text('SELECT * FROM list_items ORDER BY seq'),
    keys: text('SELECT * FROM api_keys ORDER BY id'),
    audit: text('SELECT * FROM audit ORDER BY id'),
  }
}
