/** The value below which the share `q` of the numbers lies, between two of them if need be. */
export function quantile(numbers: readonly number[], q: number): number {
  if (numbers.length === 0) throw new Error('there is nothing to rank')
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const below = sorted[Math.floor(at)] as number
  const above = sorted[Math.ceil(at)] as number
  return below + (above - below) * (at - Math.floor(at))
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5)

/** The middle, and the quarters around it: half of the rounds lie between these. */
export interface Spread {
  median: number
  low: number
  high: number
}

export const spreadOf = (numbers: readonly number[]): Spread => ({
  median: median(numbers),
  low: quantile(numbers, 0.25),
  high: quantile(numbers, 0.75),
})

/**
 * Each round against the baseline's turn in the same round, so that what slows the machine for a while slows both. The
 * median of these ratios is what the tables show.
 */
export function ratios(numbers: readonly number[], baseline: readonly number[]): number[] {
  if (numbers.length !== baseline.length) throw new Error('both must have taken part in the same rounds')
  return numbers.map((number, round) => number / (baseline[round] as number))
}
