import { setTimeout as delay } from 'node:timers/promises'
import { MAX_BACKOFF_MS } from '../import/source-state.ts'
import { parseDuration } from './duration.ts'
import { ExitCode, exitCodeOf, UsageError } from './errors.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

const MIN_MS = 1000
/** A timer of the runtime cannot wait longer than 24 days. */
const MAX_MS = 7 * 86_400_000
/** Of a wait after an error, so that those who failed together do not come back together. */
const JITTER = 0.1

/** Parses the interval of a command that is repeated. */
export function parseInterval(text: string, option: string): number {
  const ms = parseDuration(text, option)
  if (ms < MIN_MS || ms > MAX_MS) throw new UsageError(`${option}: must be from 1s to 7d, such as 5m`)
  return ms
}

/** After an error the interval, then twice that each time, up to ten minutes; an interval above that stays as it is. */
export function waitAfter(failures: number, everyMs: number, random: () => number = Math.random): number {
  if (failures === 0) return everyMs
  const wait = Math.min(everyMs * 2 ** (failures - 1), Math.max(everyMs, MAX_BACKOFF_MS))
  return Math.round(wait * (1 - JITTER * random()))
}

/**
 * Repeats until it is told to stop by SIGTERM or SIGINT: at once while it waits, otherwise when `attempt` has ended, which is
 * told. A second signal ends the program as if nobody listened. What is wrong in itself is thrown; other errors are tried again.
 */
export async function repeatUntilStopped(
  everyMs: number,
  attempt: (stopped: AbortSignal) => Promise<void>,
  onFailure: (error: unknown, waitMs: number) => void,
): Promise<void> {
  const stop = new AbortController()
  const unlisten = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  const onSignal = () => {
    unlisten()
    stop.abort()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  try {
    let failures = 0
    while (!stop.signal.aborted) {
      const error = await attempt(stop.signal).catch((reason: unknown) => reason)
      if (stop.signal.aborted) return
      failures = error === undefined ? 0 : failures + 1
      const waitMs = waitAfter(failures, everyMs)
      if (error !== undefined) {
        if (exitCodeOf(error) === ExitCode.usage) throw error
        onFailure(error, waitMs)
      }
      await delay(waitMs, undefined, { signal: stop.signal }).catch(() => {})
    }
  } finally {
    unlisten()
  }
}
