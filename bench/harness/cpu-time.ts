import { readdirSync, readFileSync } from 'node:fs'

const NS_PER_TICK = 1e7

/** The time that each thread has run, in nanoseconds, and that of the whole process in ticks of the clock. */
export interface CpuTime {
  threads: ReadonlyMap<string, number>
  ticks: number
}

export function cpuTime(pid: number): CpuTime {
  const threads = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      threads.set(thread, Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    } catch {
      // It ended while we looked.
    }
  }
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return { threads, ticks: Number(fields[11]) + Number(fields[12]) }
}

/** What was spent between two looks. A thread that ended took its nanoseconds with it; the ticks still know of it. */
export function spentNs(before: CpuTime, after: CpuTime): number {
  if (before.threads.keys().some((thread) => !after.threads.has(thread)))
    return (after.ticks - before.ticks) * NS_PER_TICK
  let total = 0
  for (const [thread, ns] of after.threads) total += ns - (before.threads.get(thread) ?? 0)
  return total
}

export function rssBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kib === undefined) throw new Error('the process has no memory left to look at')
  return Number(kib) * 1024
}
