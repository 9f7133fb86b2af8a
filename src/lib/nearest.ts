import { foldCase } from './fold-case.ts'

const MOST = 10
const MAX_COMPARED = 64

/** The values most like the one asked for: those that contain it or are part of it first, then by pairs of letters shared. */
export function nearest(asked: string, values: Iterable<string>): string[] {
  const wanted = compared(asked)
  const pairs = pairsOf(wanted)
  return [...new Set(values)]
    .map((value) => ({ value, likeness: likeness(compared(value)) }))
    .sort((a, b) => b.likeness - a.likeness || (a.value < b.value ? -1 : 1))
    .slice(0, MOST)
    .map(({ value }) => value)

  function likeness(value: string): number {
    const others = pairsOf(value)
    const shared = pairs.intersection(others).size
    const part = value.includes(wanted) || wanted.includes(value) ? 1 : 0
    return part + (2 * shared) / (pairs.size + others.size || 1)
  }
}

/** Long texts are told apart by their beginnings. */
const compared = (text: string) => foldCase(text.slice(0, MAX_COMPARED))

/** The ends of the text count as a letter. */
function pairsOf(text: string): Set<string> {
  const letters = ['', ...text, '']
  return new Set(letters.slice(1).map((letter, i) => `${letters[i]}\0${letter}`))
}
