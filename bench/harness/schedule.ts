import { load } from '../load/load.ts'

/** What `npm run bench` was told. */
export interface BenchOptions {
  quick: boolean
  /** Only these servers, and whatever they are measured against. */
  servers?: readonly string[]
  rounds?: number
  roundSeconds?: number
}

export interface Schedule {
  warmUpSeconds: number
  roundSeconds: number
  rounds: number
  /** At LATENCY_RATE; 0 leaves it out. */
  latencySeconds: number
}

const schedules = {
  quick: {
    major: { warmUpSeconds: 0.25, roundSeconds: 0.12, rounds: 5, latencySeconds: 0.3 },
    minor: { warmUpSeconds: 0.1, roundSeconds: 0.08, rounds: 3, latencySeconds: 0 },
  },
  full: {
    major: { warmUpSeconds: 1, roundSeconds: 0.25, rounds: 21, latencySeconds: 3 },
    minor: { warmUpSeconds: 0.5, roundSeconds: 0.12, rounds: 15, latencySeconds: 1 },
  },
} satisfies Record<string, Record<string, Schedule>>

/**
 * Many short rounds rather than few long ones: a core's speed changes by a third from one second to the next where
 * neighbours share it, and only what is close in time can be compared. `minor` is for workloads beside the main ones, to
 * keep the whole within its ten minutes.
 */
export function scheduleFor(
  { quick, rounds, roundSeconds }: BenchOptions,
  weight: 'major' | 'minor' = 'major',
): Schedule {
  const schedule = schedules[quick ? 'quick' : 'full'][weight]
  return { ...schedule, ...(rounds !== undefined && { rounds }), ...(roundSeconds !== undefined && { roundSeconds }) }
}

export const CONNECTIONS = 32
/** Requests per second while latency is measured: far from what any of the servers can do. */
export const LATENCY_RATE = 200

/** Measured: in its first second under load a bare server spends up to five times as much, compiling itself. */
const JIT_WARM_UP_SECONDS = 1

/** For a server new to a workload, above all the baseline: measured too early, it would make the others look good. */
export async function warmUpJit({ port }: { port: number }, request: Buffer, status: number): Promise<void> {
  await load({ port, request, connections: CONNECTIONS, seconds: JIT_WARM_UP_SECONDS, status })
}
