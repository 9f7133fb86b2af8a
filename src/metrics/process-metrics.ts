import { readdir, readFile } from 'node:fs/promises'
import { commit, version } from '../version.ts'
import { type Sample, sample } from './collect.ts'

/** Once: computed anew, it would differ by a little each time. */
const STARTED_AT = Date.now() / 1000 - process.uptime()

/** What is true for the process as a whole. */
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
      // Without the one that reads the folder.
      sample('process_open_fds', open.length - 1),
      ...(max === undefined ? [] : [sample('process_max_fds', Number(max))]),
    ]
  } catch {
    return []
  }
}
