import { formatCount } from '../../lib/format-count.ts'
import { type Html, html, type Part } from '../html.ts'

export interface DataTable {
  caption: string
  className?: string
  /** The first column contains the row headers. */
  columns: readonly string[]
  /** The columns with numbers, which are aligned on the right. */
  numbers?: readonly string[]
  rows: readonly (DataRow | DayRow)[]
}

/** Heads the rows of one day. */
export interface DayRow {
  day: string
}

export interface DataRow {
  className?: string
  head: Part
  /** One for each column after the first. */
  cells: readonly Part[]
  /** Shown in an unnamed last column. */
  actions?: Part
  notes?: readonly Part[]
}

/** On narrow screens, CSS turns rows into cards. Browsers keep the semantics of a table, whatever its `display`. */
export function dataTable({ caption, className = '', columns, numbers = [], rows }: DataTable): Html {
  const hasActions = rows.some((row) => 'actions' in row && row.actions !== undefined)
  const alignment = (name: string) => numbers.includes(name) && html` class="number"`
  const names = columns.map((name) => html`<th scope="col"${alignment(name)}>${name}</th>`)
  const width = columns.length + (hasActions ? 1 : 0)
  const cell = (content: Part, name = '') => html`<td${alignment(name)} data-name="${name}">${content}</td>`
  const dayRow = ({ day }: DayRow) =>
    html`<tbody class="day-row"><tr><th scope="rowgroup" colspan="${width}">${day}</th></tr></tbody>\n`
  const rowOf = ({ className, head, cells, actions = '', notes = [] }: DataRow) =>
    html`<tbody${className !== undefined && className !== '' && html` class="${className}"`}><tr><th scope="row">${head}</th>${cells.map((content, index) => cell(content, columns[index + 1]))}${hasActions && html`<td class="do">${actions}</td>`}</tr>${notes.length > 0 && html`<tr class="notes"><td colspan="${width}">${notes}</td></tr>`}</tbody>
`
  return html`<table class="data ${className}"><caption class="visually-hidden">${caption}</caption>
<thead><tr>${names}${hasActions && html`<th scope="col"><span class="visually-hidden">Actions</span></th>`}</tr></thead>
${rows.map((row) => ('day' in row ? dayRow(row) : rowOf(row)))}</table>`
}

/** Only exceptions have a colour. */
export type Status = readonly [tone: 'warn' | 'bad' | '', text: string]
export const statusDot = ([tone, text]: Status): Html => html`<span class="status-dot ${tone}">${text}</span>`

interface Pages {
  page: number
  pages: number
  perPage: number
  total: number
  href(page: number): string
}

/** Links to the first page, the last page and the neighbours. */
export function pager({ page, pages, perPage, total, href }: Pages): Part {
  if (pages === 1) return null
  const link = (to: number, text: Part, attributes: Part) =>
    html`<a class="button" href="${href(to)}"${attributes}>${text}</a>`
  const pageLink = (number: number) =>
    link(
      number,
      html`<span class="visually-hidden">Page </span>${number}`,
      number === page && html` aria-current="page"`,
    )
  const pageNumbers = [...new Set([1, page - 1, page, page + 1, pages])].filter(
    (number) => number >= 1 && number <= pages,
  )
  const first = (page - 1) * perPage + 1
  const last = Math.min(page * perPage, total)
  return html`<nav class="pager" aria-label="Pages"><span>${formatCount(first)}–${formatCount(last)} of ${formatCount(total)}</span>
<span class="buttons">${page > 1 && link(page - 1, 'Previous', html` rel="prev"`)}${pageNumbers.map((number, index) => [
    number - (pageNumbers[index - 1] ?? 0) > 1 && html`<span class="gap">…</span>`,
    pageLink(number),
  ])}${page < pages && link(page + 1, 'Next', html` rel="next"`)}</span></nav>`
}
