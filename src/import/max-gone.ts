import { InvalidValueError } from '../lib/user-error.ts'

/** How much of a source one sync may remove: a number of rows, or a share of those that the source has. */
export type MaxGone = { rows: number } | { percent: number }

/** Few enough to go at any time: the share of a small source would stop its every change. */
const ALWAYS = 10
const USUAL_PERCENT = 20

export const mayGo = (maxGone: MaxGone | undefined, total: number): number => {
  if (maxGone === undefined) return Math.max(ALWAYS, shareOf(total, USUAL_PERCENT))
  return 'rows' in maxGone ? maxGone.rows : shareOf(total, maxGone.percent)
}

const shareOf = (total: number, percent: number) => Math.floor((total * percent) / 100)

/** As it is written: 500, or 50%. */
export function parseMaxGone(text: string): MaxGone {
  const [, digits, sign] = /^(\d{1,15})(%?)$/.exec(text) ?? []
  const number = Number(digits)
  if (digits === undefined || (sign === '%' && number > 100))
    throw new InvalidValueError(`--max-gone must be a number, such as 500, or a share, such as 50%, not '${text}'`)
  return sign === '%' ? { percent: number } : { rows: number }
}
