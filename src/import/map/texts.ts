import { clip } from '../../lib/plain-text.ts'

/** How names of columns, words of value tables and values are compared. */
export const fold = (text: string): string => text.trim().toLowerCase()

export const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value

/** A value as text, without space around it; several for an array; none for null and what is empty. */
export function textsOf(value: unknown, onProblem: (problem: string) => void): readonly string[] {
  if (typeof value === 'string') {
    const text = value.trim()
    return text === '' ? [] : [text]
  }
  if (value === null || value === undefined) return []
  if (Array.isArray(value))
    return value.flatMap((item) => {
      if (!Array.isArray(item)) return textsOf(item, onProblem)
      onProblem('is an array of arrays')
      return []
    })
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    onProblem('is a number with too many digits to be read exactly; it must be in quotes')
    return []
  }
  if (typeof value === 'object') {
    onProblem('is an object; point at one of its members')
    return []
  }
  return [String(value)]
}

/** For messages: the beginning of a value, in quotes. */
export const quotedText = (text: string): string => JSON.stringify(clip(text, LONGEST_SHOWN))

const LONGEST_SHOWN = 60
