import { clip } from '../../lib/plain-text.ts'

/** Column names, values and the keys of value tables are compared in this form. */
export const fold = (text: string): string => text.trim().toLowerCase()

export const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value

/** Trims texts. An array yields several; null and empty texts yield none. */
export function textsOf(value: unknown, onProblem: (problem: string) => void = () => {}): readonly string[] {
  if (typeof value === 'string') return [value.trim()].filter((text) => text !== '')
  if (value === null || value === undefined) return []
  const reject = (problem: string): string[] => {
    onProblem(problem)
    return []
  }
  if (Array.isArray(value))
    return value.flatMap((item) => (Array.isArray(item) ? reject('is an array of arrays') : textsOf(item, onProblem)))
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return reject('is a number with too many digits to be read exactly; it must be in quotes')
  return typeof value === 'object' ? reject('is an object; point to one of its members') : [String(value)]
}

export const quotedText = (text: string): string => JSON.stringify(clip(text, LONGEST_SHOWN))

const LONGEST_SHOWN = 60
