/** Decimals are exact, digit for digit: 1240.50 stays 1240.50. They are text in memory and JSON, never floating-point numbers. */

const MAX_DIGITS = 38
const MAX_PLACES = 18

/** Published. It leaves out the bounds and -0, which would need a pattern that some clients cannot read. */
export const DECIMAL_PATTERN = '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$'

const DECIMAL = /^(?!-[0.]+$)(-?)(0|[1-9]\d*)(?:\.(\d+))?$/

export function isDecimal(text: string): boolean {
  const [, , whole = '', places = ''] = DECIMAL.exec(text) ?? []
  return whole !== '' && places.length <= MAX_PLACES && whole.length + places.length <= MAX_DIGITS
}
