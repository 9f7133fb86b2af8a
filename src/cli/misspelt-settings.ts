import { type Environment, settings } from '../config.ts'

const PREFIX = 'VITRINE_'

/** Names so short that one letter makes them another word: only their spelling in other cases or as a plural counts. */
const SHORT = 5
/** In names as long as this, two letters may be wrong. */
const LONG = 10

/** Variables that look like a setting and are none, with the setting that they were probably meant to be. */
export function misspeltSettings(environment: Environment): { given: string; meant: string }[] {
  const names = Object.keys(settings)
  return Object.keys(environment).flatMap((given) => {
    if (names.includes(given)) return []
    const upper = given.toUpperCase()
    const bare = upper.startsWith(PREFIX) ? upper.slice(PREFIX.length) : upper
    const meant = names.find((name) => name === bare) ?? names.find((name) => isAlmost(bare, name))
    return meant === undefined ? [] : [{ given, meant }]
  })
}

function isAlmost(given: string, name: string): boolean {
  if (name.length < SHORT) return given === `${name}S`
  return distance(given, name) <= (name.length < LONG ? 1 : 2)
}

/** How many letters must be added, left out, replaced, or swapped with their neighbour. */
function distance(from: string, to: string): number {
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
