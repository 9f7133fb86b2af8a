import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { loadResources } from '../../src/cli/context.ts'
import { listen } from '../../src/cli/serve/listen.ts'
import { createLogger } from '../../src/cli/serve/logger.ts'
import { withServer } from '../../src/cli/serve/with-server.ts'
import { readConfig } from '../../src/config.ts'
import { lockForServing, openOperatorStore, parseDatabaseUrl } from '../../src/database/open.ts'
import type { OperatorStore } from '../../src/database/store.ts'
import { permissionsOf } from '../../src/resources/define.ts'
import { resources } from '../../src/resources/index.ts'
import { createWorkspace } from './changes.ts'
import { runInCommandProcess } from './command-process.ts'
import { connectElsewhere } from './database.ts'
import { keysIn } from './keys.ts'
import { migratedDatabaseUrl } from './migrated-database.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { gather, waitUntil } from './wait.ts'

export const PROGRAM = join(import.meta.dirname, '../../bin/vitrine')
const PUBLISHED = import.meta.resolve('../../src/resources/index.ts')
/** The same over another list of resources, which its first argument names. */
const MAIN = join(import.meta.dirname, 'resources-main.ts')

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface Program {
  folder: string
  env: Record<string, string>
  /** Runs a command to its end in the process that all commands share, one after the other: starting one takes most of its time. */
  run(...args: string[]): Promise<Outcome>
  /** Runs it in a process of its own: for commands at once, for a server, and for what bin/vitrine or Node.js does at the start. */
  runApart(...args: string[]): Promise<Outcome>
  /** Runs a command, and fails the test unless it exits with 0. Returns stdout without its last newline. */
  ok(...args: string[]): Promise<string>
  /** The same with --json, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is what the test looks at.
  json(...args: string[]): Promise<any>
  /** The same for a command that prints an object per line. It may fail. */
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is what the test looks at.
  jsonLines(...args: string[]): Promise<any[]>
  /** Runs a command, expects this exit code, and returns stderr. */
  fails(exitCode: number, ...args: string[]): Promise<string>
  /** Writes a file into the folder, and returns its name. */
  writeFile(name: string, content: string | Buffer): string
  /** Queries the database directly. */
  query<Row>(sql: string): Promise<Row[]>
  /** Runs statements in the database directly. */
  execute(...statements: string[]): Promise<void>
  /** Starts a command that keeps running. */
  begin(...args: string[]): Promise<Begun>
  /** The same for one that serves; resolves when it reports that it listens. */
  start(...args: string[]): Promise<Running>
  /** Serves in this process what `vitrine serve` would, for tests of what commands, in theirs, and a server make of each other. */
  serve(): Promise<Serving>
}

interface Begun {
  child: ChildProcess
  stdout(): string
  output(): string
  /** Resolves once its output has these words; rejects if it ends without them. */
  printed(words: string): Promise<void>
  /** Sends the signal and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface Running extends Begun {
  url: string
}

interface Serving {
  url: string
  output(): string
  /** Writes all of its records, as a stop signal does. */
  stop(): Promise<void>
}

/** The operator's program with its own database; `resources` is the URL of another list than the published one, `launcher` another bin/vitrine. */
export function program(
  t: TestContext,
  settings: Record<string, string> = {},
  resources?: string,
  launcher = PROGRAM,
): Program {
  const [executable, first] = resources === undefined ? [launcher, []] : [process.execPath, [MAIN, resources]]
  const folder = temporaryFolder(t)
  const env: Record<string, string> = { ...inherited(resources), PORT: '0', ...settings }
  const database = settings.DATABASE_URL ?? migratedDatabaseUrl(t)
  async function launch(args: string[]): Promise<ChildProcess> {
    env.DATABASE_URL ??= await database
    return spawn(executable, [...first, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  async function runApart(...args: string[]): Promise<Outcome> {
    const child = await launch(args)
    const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)]
    const [code] = await once(child, 'close')
    return { code, stdout: stdout(), stderr: stderr() }
  }

  async function run(...words: string[]): Promise<Outcome> {
    if (launcher !== PROGRAM || Object.keys(env).some(isReadAtStart)) return runApart(...words)
    env.DATABASE_URL ??= await database
    return runInCommandProcess({ words, env, folder, resources })
  }

  async function begin(...args: string[]): Promise<Begun> {
    const child = await launch(args)
    const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)]
    const output = () => stdout() + stderr()
    t.after(() => child.kill('SIGKILL'))
    const exit = once(child, 'close')
    return {
      child,
      stdout,
      output,
      async printed(words) {
        let hasEnded = false
        const ended = exit.then(() => {
          hasEnded = true
        })
        while (!output().includes(words)) {
          if (hasEnded) throw new Error(`it ended without "${words}": ${output()}`)
          await Promise.race([moreOutput(child), ended])
        }
      },
      async stop(signal = 'SIGTERM') {
        child.kill(signal)
        return (await exit)[0]
      },
    }
  }

  return {
    folder,
    env,
    run,
    runApart,
    ...outputOf(run),
    writeFile(name, content) {
      writeFileSync(join(folder, name), content)
      return name
    },
    async query<Row>(sql: string) {
      const elsewhere = await connectElsewhere(env.DATABASE_URL ?? '')
      return elsewhere.all<Row & object>(sql).finally(() => elsewhere.close())
    },
    async execute(...statements) {
      const elsewhere = await connectElsewhere(env.DATABASE_URL ?? '')
      try {
        for (const statement of statements) await elsewhere.run(statement)
      } finally {
        await elsewhere.close()
      }
    },
    begin,
    async serve() {
      env.DATABASE_URL ??= await database
      return serveHere(t, env, resources ?? PUBLISHED)
    },
    async start(...args) {
      const running = await begin(...args)
      await running.printed('listens on http://')
      const url = /listens on (http:\/\/[^\s.]+(?:\.\d+)*(?::\d+))/.exec(running.output())?.[1] ?? ''
      return { ...running, url }
    },
  }
}

async function serveHere(t: TestContext, env: Record<string, string>, resourcesUrl: string): Promise<Serving> {
  const config = readConfig(env)
  const resources = await loadResources(resourcesUrl, config.resources)
  const lock = await lockForServing(config.database)
  let output = ''
  const { log, flush, logStats } = createLogger(config.logLevel, (block, done) => {
    output += Buffer.from(block).toString()
    done(0)
  })
  const stopping = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<string>()
  const serving = withServer(config, { log, logStats, resources }, async (server) => {
    const port = await listen(server, config)
    listening.resolve(`http://127.0.0.1:${port}`)
    await stopping.promise
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    return 5000
  })
  const ended = serving.finally(async () => {
    lock[Symbol.dispose]()
    await flush()
  })
  const stop = () => {
    stopping.resolve()
    return ended
  }
  t.after(stop)
  const url = await Promise.race([listening.promise, ended.then(() => '')])
  return { url, output: () => output, stop }
}

type Run = Program['run']

/** The ways to get at what a command prints. */
function outputOf(run: Run): Pick<Program, 'ok' | 'json' | 'jsonLines' | 'fails'> {
  const ok: Program['ok'] = async (...args) => {
    const { code, stdout, stderr } = await run(...args)
    if (code !== 0) throw new Error(`vitrine ${args.join(' ')} exited with ${code}: ${stderr}`)
    return stdout.trimEnd()
  }
  return {
    ok,
    json: async (...args) => JSON.parse(await ok(...args, '--json')),
    async fails(exitCode, ...args) {
      const { code, stderr } = await run(...args)
      assert.equal(code, exitCode, stderr)
      return stderr
    },
    async jsonLines(...args) {
      const { stdout } = await run(...args, '--json')
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}

/** The program over a SQLite file in its own folder, where the files can be counted. */
export function programWithFile(t: TestContext, settings: Record<string, string> = {}): Program & { file: string } {
  const vitrine = program(t, settings)
  const file = join(vitrine.folder, 'vitrine.db')
  vitrine.env.DATABASE_URL = `sqlite:${file}`
  return { ...vitrine, file }
}

interface AcmeProgram extends Program {
  workspaceId: string
  /** A key that may read everything, created without the command line. */
  createKey(): Promise<{ token: string; id: string }>
  /** Changes the database as a command of ours would. */
  transaction: OperatorStore['transaction']
}

/** The program with the workspace acme, which is created without the command line: that would take most of a test's time. */
export async function acmeProgram(t: TestContext, settings: Record<string, string> = {}): Promise<AcmeProgram> {
  const { DATABASE_URL = await migratedDatabaseUrl(t) } = settings
  const operate = async <T>(work: (store: OperatorStore) => Promise<T>): Promise<T> => {
    const store = await openOperatorStore(parseDatabaseUrl(DATABASE_URL), resources, { create: true })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
  const acme = { name: 'Acme', slug: 'acme' }
  const { id } = await operate((store) => createWorkspace(store, acme, 'test', new Date().toISOString()))
  return {
    ...program(t, { ...settings, DATABASE_URL }),
    workspaceId: id,
    createKey: () =>
      operate(async (store) => {
        const everything = { label: 'x', permissions: permissionsOf(resources), quota: null, expiresAt: null }
        const { token, key } = await keysIn(store).create('acme', everything)
        return { token, id: key.id }
      }),
    transaction: (work) => operate((store) => store.transaction(work)),
  }
}

/** The lines that a server logged, without what it prints. */
// biome-ignore lint/suspicious/noExplicitAny: what a server logs is what the test looks at.
export const logLines = (output: string): any[] => (output.match(/^\{.*$/gm) ?? []).map((line) => JSON.parse(line))

/** Resolves when nothing listens there any more: a server has begun to stop. */
export const untilRefused = (url: string): Promise<void> =>
  waitUntil(
    () =>
      fetch(url, { headers: { connection: 'close' } }).then(
        () => false,
        ({ cause }) => cause?.code === 'ECONNREFUSED',
      ),
    { everyMs: 5 },
  )

/** By Node.js: NODE_OPTIONS, NODE_EXTRA_CA_CERTS and the like. */
const isReadAtStart = (name: string) => /^NODE_(?!COMPILE_CACHE$)/.test(name)

/** bin/vitrine sets a compile cache by itself; another entry module starts four times as fast with that of the tests. */
function inherited(resources: string | undefined): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE } = process.env
  return {
    // Messages then name commands as 'vitrine …'.
    ...{ PATH: `${dirname(PROGRAM)}:${PATH}`, HOME },
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...(resources !== undefined && NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  }
}

async function moreOutput({ stdout, stderr }: ChildProcess): Promise<void> {
  const waiting = new AbortController()
  const streams = [stdout, stderr] as NodeJS.ReadableStream[]
  await Promise.race(streams.map((stream) => once(stream, 'data', { signal: waiting.signal })))
  waiting.abort()
}
