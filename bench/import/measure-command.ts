import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { cpuSecondsOfChildren, peakRssBytes } from '../harness/process-stats.ts'

export interface Cost {
  cpuSeconds: number
  wallSeconds: number
  peakRssBytes: number
}

const SAMPLE_EVERY_MS = 10

/**
 * Runs a command to its end and tells what it cost, if nothing else that was started here ends meanwhile. The memory is the
 * kernel's own record, last read a moment before the end: what is missed is that moment, not what lies between two samples.
 */
export async function measureCommand(file: string, args: string[], env: Record<string, string> = {}): Promise<Cost> {
  const startedAt = performance.now()
  const spentSeconds = cpuSecondsOfChildren()
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const errors = text(child.stderr)
  const cost: Cost = { cpuSeconds: 0, wallSeconds: 0, peakRssBytes: 0 }
  const sampling = setInterval(() => sample(child.pid ?? 0, cost), SAMPLE_EVERY_MS)
  const [code] = await ended.finally(() => clearInterval(sampling))
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${await errors}`)
  cost.cpuSeconds = cpuSecondsOfChildren() - spentSeconds
  cost.wallSeconds = (performance.now() - startedAt) / 1000
  return cost
}

function sample(pid: number, cost: Cost): void {
  try {
    cost.peakRssBytes = peakRssBytes(pid)
  } catch {
    // It has just ended.
  }
}
