import { foldedWords } from '../lib/fold-case.ts'
import type { ArgumentFault } from './invalid-arguments.ts'

/** The words and quoted phrases of a query, in a canonical order. */
export function parseQuery(query: string): readonly string[] | Pick<ArgumentFault, 'fix'> {
  const unquoted = query.replace(QUOTED, '""')
  if (OPERATOR.test(unquoted)) return { fix: NO_OPERATORS }
  const phrases = [...query.matchAll(QUOTED)].map(([, phrase = '']) => foldedWords(phrase))
  const wanted = [...phrases, ...foldedWords(unquoted).split(' ')].filter((text) => LETTER_OR_DIGIT.test(text))
  return wanted.length === 0 ? { fix: NO_WORD } : [...new Set(wanted)].sort()
}

const QUOTED = /["“„]([^"“”„]*)["“”]/g
/** A hyphen by itself is punctuation. */
const OPERATOR = /(?<!\S)(?:(?:OR|AND|NOT)(?!\S)|-+["\p{L}\p{N}])/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

const NO_OPERATORS =
  'has no operators such as OR, AND, NOT or -word: all words must occur, so ask twice and combine the results; to search for such a word itself, put it in double quotes'
export const NO_WORD = 'must have a letter or digit; leave it out to not filter by it'
