import { foldForSearch } from '../lib/fold-case.ts'
import { redactName } from '../lib/redact.ts'
import { html, inQuotes, type Part } from './html.ts'
import { type DataRow, type DataTable, dataTable, pager } from './layout/table.ts'

const MAX_TYPED = 100
const MAX_WORDS = 8
const PAGE_SIZE = 50

/** The search text that a person typed, and one page of its results. */
export type Results<Item> = ReturnType<typeof find<Item>>

/** People paste keys into searches, so they are redacted. */
export const searchTextIn = (query: URLSearchParams): string =>
  redactName(query.get('q') ?? '')
    .trim()
    .slice(0, MAX_TYPED)

export const pageNumberIn = (query: URLSearchParams): number =>
  Math.max(1, Number.parseInt(query.get('page') ?? '', 10) || 1)

/** Every word must occur in an item's text, which is folded by the caller: once, if the items stay the same. */
export function find<Item>(all: readonly Item[], textOf: (item: Item) => string, query: URLSearchParams) {
  const typed = searchTextIn(query)
  const words = [...new Set(foldForSearch(typed).split(/\s+/))].slice(0, MAX_WORDS)
  const matching = all.filter((item) => {
    const text = textOf(item)
    return words.every((word) => text.includes(word))
  })
  const pages = Math.max(1, Math.ceil(matching.length / PAGE_SIZE))
  const page = Math.min(pages, pageNumberIn(query))
  return { typed, items: matching.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), total: matching.length, page, pages }
}

interface ResultsTable<Item> extends Omit<DataTable, 'rows'> {
  label: string
  href(typed: string, page?: number): string
  rowOf(item: Item): DataRow
}

/** A short list needs no search. */
export function resultsTable<Item>(results: Results<Item>, { label, href, rowOf, ...table }: ResultsTable<Item>): Part {
  const { typed, items, ...pages } = results
  return [
    (pages.pages > 1 || typed !== '') &&
      html`<form class="search" role="search" aria-label="${label}" action="${href('')}">
<input id="q" name="q" type="search" value="${typed}" aria-label="${label}" placeholder="${label}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="${MAX_TYPED}" dir="auto"><button class="button">Find</button></form>`,
    items.length === 0
      ? html`<section class="panel empty"><h2>Nothing matches ${inQuotes(typed)}</h2><p><a class="button" href="${href('')}">Show all</a></p></section>`
      : html`<div class="panel">${dataTable({ ...table, rows: items.map(rowOf) })}</div>`,
    pager({ ...pages, perPage: PAGE_SIZE, href: (page) => href(typed, page) }),
  ]
}
