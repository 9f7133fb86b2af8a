import { type Environment, settings } from '../config.ts'

const PREFIX = 'VITRINE_'

/** In shorter names one letter makes another word: there only another case or a plural counts. */
const MIN_LENGTH_FOR_ONE_TYPO = 5
const MIN_LENGTH_FOR_TWO_TYPOS = 10

/** Variables that are no setting but look like one, with the setting that was probably meant. */
export function misspeltSettings(environment: Environment): { given: string; meant: string }[] {
  const names = Object.keys(settings)
  return Object.keys(environment).flatMap((given) => {
    if (names.includes(given)) return []
    const upper = given.toUpperCase()
    const bare = upper.startsWith(PREFIX) ? upper.slice(PREFIX.length) : upper
    const meant = names.find((name) => name === bare) ?? names.find((name) => isTypoOf(bare, name))
    return meant === undefined ? [] : [{ given, meant }]
  })
}

function isTypoOf(given: string, name: string): boolean {
  if (name.length < MIN_LENGTH_FOR_ONE_TYPO) return given === `${name}S`
  return editDistance(given, name) <= (name.length < MIN_LENGTH_FOR_TWO_TYPOS ? 1 : 2)
}

/** Damerau–Levenshtein: letters to add, remove, replace, or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row[j] = Math.min(
        (row[j - 1] ?? 0) + 1,
        (last[j] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = row
  }
  return last[to.length] ?? 0
}
