import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { cpuSecondsOfChildren, peakRssBytes } from '../harness/process-stats.ts'

export interface Cost {
  cpuSeconds: number
  serverCpuSeconds: number
  peakRssBytes: number
}

const SAMPLE_EVERY_MS = 10

/**
 * Runs a command to its end and tells what it cost, if nothing else that was started here ends meanwhile. The memory is the
 * kernel's own record, last read a moment before the end: what is missed is that moment, not what lies between two samples.
 */
export async function measureCommand(
  file: string,
  args: string[],
  env: Record<string, string>,
  serverCpuSeconds: () => number,
): Promise<Cost> {
  const [before, serverBefore] = [cpuSecondsOfChildren(), serverCpuSeconds()]
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const errors = text(child.stderr)
  let peak = 0
  const sampling = setInterval(() => {
    peak = peakOf(child.pid ?? 0) ?? peak
  }, SAMPLE_EVERY_MS)
  const [code] = await ended.finally(() => clearInterval(sampling))
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${await errors}`)
  const serverSpent = serverCpuSeconds() - serverBefore
  return { cpuSeconds: cpuSecondsOfChildren() - before, serverCpuSeconds: serverSpent, peakRssBytes: peak }
}

/** Undefined if the process has just ended. */
function peakOf(pid: number): number | undefined {
  try {
    return peakRssBytes(pid)
  } catch {
    return undefined
  }
}
