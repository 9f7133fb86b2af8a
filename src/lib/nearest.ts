import { foldForSearch } from './fold-case.ts'

const MOST = 10
const MAX_COMPARED = 64
/** Half of the pairs of letters are shared, which most typos leave. */
const ALIKE = 0.5

/** The values most similar to the given one: first those that contain it or are part of it, then by shared pairs of letters. */
export const nearest = (asked: string, values: Iterable<string>): string[] =>
  ranked(asked, values)
    .slice(0, MOST)
    .map(({ value }) => value)

/** For the end of an error message; empty if no value is similar. */
export function didYouMean(asked: string, values: Iterable<string>): string {
  const [best] = ranked(asked, values)
  return best !== undefined && best.likeness >= ALIKE ? `; did you mean ${best.value}?` : ''
}

function ranked(asked: string, values: Iterable<string>) {
  const wanted = compared(asked)
  const pairs = pairsOf(wanted)
  return [...new Set(values)]
    .map((value) => ({ value, likeness: likeness(compared(value)) }))
    .sort((a, b) => b.likeness - a.likeness || (a.value < b.value ? -1 : 1))

  function likeness(value: string): number {
    const others = pairsOf(value)
    const shared = pairs.intersection(others).size
    const part = value.includes(wanted) || wanted.includes(value) ? 1 : 0
    return part + (2 * shared) / (pairs.size + others.size || 1)
  }
}

/** Long texts are compared by their beginnings. */
const compared = (text: string) => foldForSearch(text.slice(0, MAX_COMPARED))

/** The start and end of the text count as letters. */
function pairsOf(text: string): Set<string> {
  const letters = ['', ...text, '']
  return new Set(letters.slice(1).map((letter, i) => `${letters[i]}\0${letter}`))
}
