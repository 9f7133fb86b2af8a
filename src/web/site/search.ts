import { readFile } from 'node:fs/promises'
import { foldForSearch } from '../../lib/fold-case.ts'
import { find, finder, type Results } from '../find.ts'
import { html } from '../html.ts'
import { sitePaths } from '../paths.ts'
import { fileUrl, pageAddress, servedFiles } from './files.ts'
import { guideList, type SiteFrame } from './frame.ts'
import { guideGroups, isLocalGuide, withServiceUrl } from './guides.ts'
import { anchors } from './markdown.ts'

const RESULTS = 20
const EXCERPT_CHARACTERS = 160

type Section = ReturnType<typeof sectionsIn>[number]

/** Guides come before problems, and each in its own order. Decisions and reports are left out. */
const searched = [
  ...guideGroups.flatMap(({ guides }) => guides.map(([name]) => `docs/${name}.md`)),
  ...[...servedFiles].filter((file) => /^docs\/problems\/[a-z_]+\.md$/.test(file)),
]

/** Each section of each guide, as plain text: a few hundred kilobytes, read with the first search. */
export const readSections = async (): Promise<Section[]> =>
  (await Promise.all(searched.map(async (file) => sectionsIn(file, await readFile(fileUrl(file), 'utf8'))))).flat()

function sectionsIn(file: string, source: string) {
  // The page of a problem is short, and its headings have no anchors.
  const isProblem = file.startsWith('docs/problems/')
  const anchorOf = anchors()
  // A line that starts with # in a block of code is a comment.
  const parts = source
    .replace(/^```.*?^```/gms, (code) => code.replace(/^#/gm, ' #'))
    .split(isProblem ? /^# /m : /^#{1,6} /m)
  const [, guide = file] = /^# (.*)$/m.exec(source) ?? []
  return parts.slice(1).map((part) => {
    const [heading = '', ...lines] = part.split('\n')
    const text = lines
      .join(' ')
      .replace(/\]\([^)]*\)|[`*|[\]]|-{3,}/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
    const address = `${pageAddress(file)}${isProblem ? '' : `#${anchorOf(heading)}`}`
    // Both are folded once, because folding takes longer than searching.
    const title = foldForSearch(`${guide} ${heading}`)
    const whole = `${title} ${foldForSearch(text)}`
    return { file, guide, heading: heading.replaceAll('`', ''), address, text, title, whole }
  })
}

/** Sections whose headings have all the words come first. */
function searchSections(sections: readonly Section[], query: URLSearchParams): Results<Section> {
  const inTitle = new Set(find(sections, ({ title }) => title, query, sections.length).items)
  const ordered = [...inTitle, ...sections.filter((section) => !inTitle.has(section))]
  return find(ordered, ({ whole }) => whole, query, RESULTS)
}

export function searchPage(frame: SiteFrame, sections: readonly Section[], query: URLSearchParams, serviceUrl: string) {
  const { typed, items, total, pages } = searchSections(sections, query)
  const results = items.map(
    ({ file, guide, heading, address, text }) =>
      html`<li><a href="${address}">${heading}</a>${heading !== guide && html` <span class="names">${guide}</span>`}<p>${excerpt(isLocalGuide(file) ? text : withServiceUrl(text, serviceUrl), typed)}</p></li>`,
  )
  const count = pages === 1 ? `${total} found.` : `${total} found, the first ${RESULTS} of them shown. Type more words.`
  const body = html`<div class="article"><h1>Search the guides</h1>${finder(sitePaths.search, 'Search the guides', typed)}
${typed !== '' && html`<p role="status">${total === 0 ? 'Nothing has all of these words. Try fewer.' : count}</p><ol class="results">${results}</ol>`}</div>`
  return frame({ title: 'Search the guides', part: 'docs', aside: guideList(null), body })
}

function excerpt(text: string, typed: string): string {
  const [word = ''] = typed.toLowerCase().split(/\s+/)
  const start = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_CHARACTERS / 4)
  const end = start + EXCERPT_CHARACTERS
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
