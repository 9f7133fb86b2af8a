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
  latencySeconds: number
}

const paces = {
  quick: {
    major: { warmUpSeconds: 0.4, roundSeconds: 0.15, rounds: 7, latencySeconds: 0.5 },
    minor: { warmUpSeconds: 0.2, roundSeconds: 0.1, rounds: 5, latencySeconds: 0.25 },
  },
  full: {
    major: { warmUpSeconds: 1.5, roundSeconds: 0.5, rounds: 15, latencySeconds: 4 },
    minor: { warmUpSeconds: 0.8, roundSeconds: 0.3, rounds: 9, latencySeconds: 1 },
  },
} satisfies Record<string, Record<string, Pace>>

/**
 * Many short rounds rather than few long ones: the more rounds, the less one that something else disturbed moves the
 * median. `minor` is for works beside the main ones, to keep the whole within its ten minutes.
 */
export function paceOf({ quick, rounds, roundSeconds }: BenchOptions, weight: 'major' | 'minor' = 'major'): Pace {
  const pace = paces[quick ? 'quick' : 'full'][weight]
  return { ...pace, ...(rounds !== undefined && { rounds }), ...(roundSeconds !== undefined && { roundSeconds }) }
}

export const CONNECTIONS = 32
export const MODEST_RATE = 200
