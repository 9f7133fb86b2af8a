import { load } from '../load.ts'

/** What `npm run bench` was told. */
export interface BenchOptions {
  quick: boolean
  /** Only these contestants, and whatever they are measured against. */
  contestants?: readonly string[]
  rounds?: number
  roundSeconds?: number
}

export interface Pace {
  warmUpSeconds: number
  roundSeconds: number
  rounds: number
  /** At the modest rate; 0 leaves it out. */
  latencySeconds: number
}

const paces = {
  quick: {
    major: { warmUpSeconds: 0.25, roundSeconds: 0.12, rounds: 5, latencySeconds: 0.3 },
    minor: { warmUpSeconds: 0.1, roundSeconds: 0.08, rounds: 3, latencySeconds: 0 },
  },
  full: {
    major: { warmUpSeconds: 1, roundSeconds: 0.25, rounds: 21, latencySeconds: 3 },
    minor: { warmUpSeconds: 0.5, roundSeconds: 0.12, rounds: 15, latencySeconds: 1 },
  },
} satisfies Record<string, Record<string, Pace>>

/**
 * Many short rounds rather than few long ones: a core's speed changes by a third from one second to the next where
 * neighbours share it, and only what is close in time can be compared. `minor` is for works beside the main ones, to
 * keep the whole within its ten minutes.
 */
export function paceOf({ quick, rounds, roundSeconds }: BenchOptions, weight: 'major' | 'minor' = 'major'): Pace {
  const pace = paces[quick ? 'quick' : 'full'][weight]
  return { ...pace, ...(rounds !== undefined && { rounds }), ...(roundSeconds !== undefined && { roundSeconds }) }
}

export const CONNECTIONS = 32
export const MODEST_RATE = 200

/** Measured: in its first second under load a bare server spends up to five times as much, compiling itself. */
const COMPILED_AFTER_SECONDS = 1

/** For a server new to a work, above all the baseline: measured too early it would flatter the others. */
export async function compile({ port }: { port: number }, request: Buffer, status: number): Promise<void> {
  await load({ port, request, connections: CONNECTIONS, seconds: COMPILED_AFTER_SECONDS, status })
}
