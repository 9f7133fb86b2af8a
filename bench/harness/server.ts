import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../test/support/listen.ts'
import { exchange } from './exchange.ts'
import { type CpuTime, cpuTime, rssBytes, spentNs } from './process-stats.ts'

export interface ServerProgram {
  name: string
  command: readonly string[]
  env: Record<string, string>
  /** Up when this gets a 200 or a 304. */
  probe: Buffer
}

export interface Server {
  name: string
  pid: number
  port: number
  /** From its start until the answer to the probe was there. */
  startMs: number
  cpuTime(): CpuTime
  rssBytes(): number
  /** Empties its log: at full speed it would fill the disk. */
  emptyLog(): void
  /** Suspends it, so that whatever it does in its idle time does not disturb the others. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 20_000
const STOP_TIMEOUT_MS = 5000

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** What a server gets of our own environment: nothing that could change how it behaves. */
function inherited(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME }
}

/** What a server spends while something is done to it. */
export async function measureCpu<T>(
  server: Server,
  work: () => Promise<T>,
): Promise<{ result: T; cpuSeconds: number }> {
  const before = server.cpuTime()
  const result = await work()
  return { result, cpuSeconds: spentNs(before, server.cpuTime()) / 1e9 }
}

/** Starts a program as a process of its own on a list of cores, and waits for its first response. */
export async function startServer(program: ServerProgram, cores: string, folder: string): Promise<Server> {
  const port = await freePort()
  const logPath = join(folder, `${program.name.replaceAll(/\W+/g, '-')}-${port}.log`)
  // Opened for appending, so that emptying it is safe while the server writes.
  const log = openSync(logPath, 'a')
  const startedAt = performance.now()
  const child = spawn('taskset', ['-c', cores, ...program.command], {
    env: { ...inherited(), NODE_ENV: 'production', ...program.env, PORT: String(port) },
    stdio: ['ignore', log, log],
    cwd: folder,
  })
  closeSync(log)
  running.add(child)
  child.once('exit', () => running.delete(child))
  const pid = child.pid
  if (pid === undefined) throw new Error(`${program.name} could not be started`)
  const stop = () => end(child)
  const lastLogLines = () => readFileSync(logPath, 'utf8').trim().split('\n').slice(-3).join(' ').slice(0, 300)

  let last = ''
  while (performance.now() - startedAt < START_TIMEOUT_MS) {
    if (child.exitCode !== null) throw new Error(`it ended at its start: ${lastLogLines()}`)
    try {
      const { status } = await exchange(port, program.probe)
      last = `the last answer had status ${status}`
      if (status === 200 || status === 304) {
        const startMs = performance.now() - startedAt
        return {
          name: program.name,
          pid,
          port,
          startMs,
          cpuTime: () => cpuTime(pid),
          rssBytes: () => rssBytes(pid),
          emptyLog: () => truncateSync(logPath),
          pause: () => void child.kill('SIGSTOP'),
          resume: () => void child.kill('SIGCONT'),
          stop,
        }
      }
    } catch (error) {
      last = (error as Error).message
    }
    await delay(1)
  }
  const lines = lastLogLines()
  await stop()
  throw new Error(`no good answer within ${START_TIMEOUT_MS / 1000} s of its start: ${last}. ${lines}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  const hung = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  child.kill('SIGTERM')
  child.kill('SIGCONT')
  await exited
  clearTimeout(hung)
}
