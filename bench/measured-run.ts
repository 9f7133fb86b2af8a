import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

export interface Cost {
  cpuSeconds: number
  wallSeconds: number
  /** The most memory that was resident at once. */
  peakMegabytes: number
}

/** In which /proc counts CPU time, on every Linux. */
const TICKS_PER_SECOND = 100
const LOOK_EVERY_MS = 10

/**
 * Runs a program to its end and tells what it cost. The counters are the kernel's, last read a moment before the end:
 * what is missed is that moment, not what lies between two looks. Linux only.
 */
export async function measuredRun(file: string, args: string[], env: Record<string, string> = {}): Promise<Cost> {
  const startedAt = performance.now()
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const complaints = text(child.stderr)
  const cost: Cost = { cpuSeconds: 0, wallSeconds: 0, peakMegabytes: 0 }
  const looking = setInterval(() => Object.assign(cost, look(child.pid)), LOOK_EVERY_MS)
  const [code] = await ended.finally(() => clearInterval(looking))
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${await complaints}`)
  cost.wallSeconds = (performance.now() - startedAt) / 1000
  return cost
}

function look(pid: number | undefined): Partial<Cost> {
  try {
    // The name of the program, in parentheses, may hold anything: fields are counted from behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    if (peak === undefined) return {}
    const [user, system] = fields.slice(11, 13).map(Number)
    return {
      cpuSeconds: ((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND,
      peakMegabytes: Number(peak) / 1024,
    }
  } catch {
    // It has just ended.
    return {}
  }
}
