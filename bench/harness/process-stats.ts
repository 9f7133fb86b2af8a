/** What processes have spent, as the kernel counts it. */
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const NS_PER_TICK = 1e9 / TICKS_PER_SECOND

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
  return { threads, ticks: readStat(pid).ticks }
}

/** What was spent between two looks. A thread that ended took its nanoseconds with it; the ticks still know of it. */
export function spentNs(before: CpuTime, after: CpuTime): number {
  if (before.threads.keys().some((thread) => !after.threads.has(thread)))
    return (after.ticks - before.ticks) * NS_PER_TICK
  let total = 0
  for (const [thread, ns] of after.threads) total += ns - (before.threads.get(thread) ?? 0)
  return total
}

/** Of all that this process has started and that has ended. */
export const cpuSecondsOfChildren = (): number => readStat(process.pid).childTicks / TICKS_PER_SECOND

/** Of a process and all its descendants, also those that have ended and were waited for. */
export function cpuSecondsOfTree(root: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [{ pid: Number(name), ...readStat(Number(name)) }]
      } catch {
        // It ended while we looked.
        return []
      }
    })
  const tree = new Set([root])
  for (let size = 0; size < tree.size; ) {
    size = tree.size
    for (const { pid, parent } of stats) if (tree.has(parent)) tree.add(pid)
  }
  const ticks = stats
    .filter(({ pid }) => tree.has(pid))
    .reduce((total, { ticks, childTicks }) => total + ticks + childTicks, 0)
  return ticks / TICKS_PER_SECOND
}

export const parentOf = (pid: number): number => readStat(pid).parent

/** The name of the program, in parentheses, may hold anything: fields are counted from behind it. */
function readStat(pid: number): { parent: number; ticks: number; childTicks: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')
  const sum = (i: number) => Number(fields[i]) + Number(fields[i + 1])
  return { parent: Number(fields[1]), ticks: sum(11), childTicks: sum(13) }
}

export const rssBytes = (pid: number): number => memoryBytes(pid, 'VmRSS')

/** The most memory that was resident at once. */
export const peakRssBytes = (pid: number): number => memoryBytes(pid, 'VmHWM')

function memoryBytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  if (kib === undefined) throw new Error('the process has no memory left to look at')
  return Number(kib) * 1024
}
