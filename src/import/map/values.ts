import { clip } from '../../lib/plain-text.ts'

/** Column names, values and the keys of value tables are compared in this form. */
export const fold = (text: string): string => text.trim().toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

export const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value

/** A number with more digits may have been rounded when it was parsed. */
const MAX_EXACT_DIGITS = 15

/** Trims texts. An array yields several; null and empty texts yield none. */
export function textsOf(
  value: unknown,
  onProblem: (problem: string) => void = () => {},
  mustBeExact = false,
): readonly string[] {
  if (typeof value === 'string') return [value.trim()].filter((text) => text !== '')
  if (value === null || value === undefined) return []
  const reject = (problem: string): string[] => {
    onProblem(problem)
    return []
  }
  if (Array.isArray(value))
    return value.flatMap((item) =>
      Array.isArray(item) ? reject('is an array of arrays') : textsOf(item, onProblem, mustBeExact),
    )
  if (typeof value === 'number' && isRounded(value, mustBeExact))
    return reject('is a number with too many digits to be read exactly; it must be in quotes')
  return typeof value === 'object' ? reject('is an object; point to one of its members') : [String(value)]
}

const isRounded = (number: number, mustBeExact: boolean) =>
  Number.isInteger(number)
    ? !Number.isSafeInteger(number)
    : mustBeExact && String(number).replace(/^[-0.]+|\.|e.*/g, '').length > MAX_EXACT_DIGITS

export const quotedText = (text: string): string => JSON.stringify(clip(text, LONGEST_SHOWN))

const LONGEST_SHOWN = 60

export type DecimalMark = ',' | '.'

const GROUPS = " \\u00a0\\u202f'’"

/** Groups have three digits: with the wrong mark, 1240.50 is rejected, and not read as 124050. */
export function decimalParser(mark: DecimalMark): (text: string) => string | undefined {
  const group = `[${mark === ',' ? '.' : ','}${GROUPS}]`
  const pattern = new RegExp(`^-?(?:\\d{1,3}(?:${group}\\d{3})+|\\d+)(?:[${mark}]\\d+)?$`)
  return (text) => (pattern.test(text) ? text.replace(new RegExp(group, 'g'), '').replace(mark, '.') : undefined)
}
