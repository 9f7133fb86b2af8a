import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { HOUR_MS } from '../../lib/duration.ts'
import { UserError } from '../../lib/user-error.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first process of a container ignores SIGTERM, unless it handles it. */
const GRACE_MS = 5000

/**
 * Starts the command when the first chunk is read. Throws unless it exits with 0: its output may be cut short. The time limit is
 * the same as for a snapshot from a URL.
 */
export async function* commandOutput(command: string, signal?: AbortSignal, totalMs = HOUR_MS): AsyncGenerator<Buffer> {
  // It may have come while the database was being opened.
  signal?.throwIfAborted()
  const tooSlow = AbortSignal.timeout(totalMs)
  const kill = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // The process has already ended.
    }
  }
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    kill(tooSlow.aborted ? 'SIGKILL' : 'SIGTERM')
    killing ??= setTimeout(kill, GRACE_MS, 'SIGKILL')
  }
  // Ctrl+C reaches only the terminal's own process group.
  const onSignal = (name: NodeJS.Signals) => {
    stop()
    process.kill(process.pid, name)
  }
  // Before the command starts: a signal in between would end this process and leave the command running.
  if (signal === undefined) for (const name of SIGNALS) process.once(name, onSignal)
  // In a process group of its own, together with the programs that sh starts.
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const ended = once(child, 'close').catch(() => []) as Promise<[code?: number | null, killedBy?: string | null]>
  const either = signal === undefined ? tooSlow : AbortSignal.any([signal, tooSlow])
  either.addEventListener('abort', stop)
  try {
    yield* child.stdout
    const [code, killedBy] = await ended
    signal?.throwIfAborted()
    if (tooSlow.aborted) throw failure(`took longer than ${totalMs / 1000} seconds`)
    if (code === undefined) throw failure('could not be started: sh cannot be run')
    if (code !== 0) throw failure(code === null ? `was ended by ${killedBy}` : `failed with exit code ${code}`)
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal)
    either.removeEventListener('abort', stop)
    stop()
    await ended
    clearTimeout(killing)
  }
}

const failure = (problem: string) => new UserError(`nothing was synced: the command ${problem}`)
