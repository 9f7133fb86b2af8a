import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = join(import.meta.dirname, '../../docs/decisions/0063-lab-book-of-the-bench.md')
const BEGIN = '<!-- begin: written by npm run bench -- --publish -->'
const END = '<!-- end -->'

/** Puts the results between the markers of the page, in place of the last ones. */
export function publish(results: string): void {
  writeFileSync(PAGE, replaceResults(readFileSync(PAGE, 'utf8'), results))
}

export function replaceResults(page: string, results: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error('the page has lost the markers between which results go')
  return `${page.slice(0, begin + BEGIN.length)}\n\n${results.trim()}\n\n${page.slice(end)}`
}
