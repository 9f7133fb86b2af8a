import { readdir, readFile } from 'node:fs/promises'
import { commit, version } from '../version.ts'
import { boundsOf } from './catalogue.ts'
import { Histogram, type Sample, sample } from './collect.ts'

/** Computed once, because each computation would differ slightly. */
const STARTED_AT = Date.now() / 1000 - process.uptime()

export async function processSamples(): Promise<Sample[]> {
  const { user, system } = process.cpuUsage()
  return [
    sample('vitrine_build_info', 1, version, commit ?? '', process.version),
    sample('process_cpu_seconds_total', (user + system) / 1e6),
    sample('process_resident_memory_bytes', process.memoryUsage.rss()),
    sample('process_start_time_seconds', STARTED_AT),
    ...(await descriptorSamples()),
  ]
}

async function descriptorSamples(): Promise<Sample[]> {
  try {
    const [open, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')])
    const max = /^Max open files +(\d+)/m.exec(limits)?.[1]
    return [
      // Reading the directory also takes a descriptor.
      sample('process_open_fds', open.length - 1),
      ...(max === undefined ? [] : [sample('process_max_fds', Number(max))]),
    ]
  } catch {
    return []
  }
}

const SAMPLE_EVERY_MS = 100
/** Beyond a minute, for example after a suspend, the exact length of a pause does not matter. */
const MAX_SAMPLES_AT_ONCE = 600

/** Measures the event loop's delay as a request arriving at that time would have seen it. */
export function runtimeMetrics(): () => Sample[] {
  const delays = new Histogram(boundsOf('vitrine_event_loop_delay_seconds'))
  let dueAt = performance.now() + SAMPLE_EVERY_MS
  setInterval(() => {
    const now = performance.now()
    const lateMs = Math.max(0, now - dueAt)
    // A long delay counts for every sample missed; otherwise a stall would be a single bad sample.
    const missed = Math.min(Math.floor(lateMs / SAMPLE_EVERY_MS), MAX_SAMPLES_AT_ONCE)
    for (let i = 0; i <= missed; i++) delays.observe((lateMs - i * SAMPLE_EVERY_MS) / 1000)
    dueAt = now + SAMPLE_EVERY_MS
  }, SAMPLE_EVERY_MS).unref()
  return () => [
    sample('vitrine_event_loop_delay_seconds', delays.value),
    sample('vitrine_event_loop_active_seconds_total', performance.eventLoopUtilization().active / 1000),
  ]
}
