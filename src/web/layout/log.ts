/** What the audit log and the request log share: the filter, one page of the log, exports and links to older entries. */

import { type LocalTime, localDate, zoneNamed } from '../../lib/local-dates.ts'
import { redactName } from '../../lib/redact.ts'
import { type Html, html, type Part } from '../html.ts'
import { PageError } from '../responses.ts'
import { csrfField, describe, errorSummary, options } from './field.ts'
import { noticeLine, type PageFrame } from './page.ts'
import type { DataRow, DayRow } from './table.ts'
import { dateText } from './time.ts'

export interface LogModel<Name extends string> {
  frame: PageFrame
  /** Fields without a filter are empty. */
  fields: Record<Name, string>
  errors: Partial<Record<Name, string>>
  isFirst: boolean
  /** The position of the next page; null on the last one. */
  older: string | null
  /** The search stopped before the end of the log. */
  isCut: boolean
}

export const MAX_CHARACTERS = 200
export const textInput = html` type="search" maxlength="${MAX_CHARACTERS}" spellcheck="false" dir="auto"`

/** Redacts keys that people paste. One character over the limit shows that there was more. */
export function fieldsIn<Name extends string>(sent: URLSearchParams, names: readonly Name[]): Record<Name, string> {
  const textOf = (name: Name) => redactName(sent.get(name) ?? '').trim()
  const fields = names.map((name) => [name, textOf(name).slice(0, MAX_CHARACTERS + 1)])
  return Object.fromEntries(fields)
}

export const badAddress = (text = 'Its filter or its position in the log is unknown. Open the log again.') =>
  new PageError(400, 'This address is not valid', text)

export const isValid = ({ errors }: { errors: object }): boolean => Object.keys(errors).length === 0
export const isFiltered = ({ fields }: { fields: Record<string, string> }): boolean =>
  Object.values(fields).some((value) => value !== '')

export function filterField<Name extends string>(
  { fields, errors }: Pick<LogModel<Name>, 'fields' | 'errors'>,
  id: Name,
  title: string,
  attributes: Html,
): Html {
  const described = describe(id, null, errors[id])
  return html`<div class="field"><label for="${id}">${title}</label><input id="${id}" name="${id}" value="${fields[id]}" autocomplete="off"${attributes}${described.attributes}>${described.text}</div>`
}

export const filterSelect = (id: string, title: string, texts: Record<string, string>, chosen: string): Html =>
  html`<div class="field"><label for="${id}">${title}</label><select id="${id}" name="${id}">${options(texts, chosen)}</select></div>`

export const exportLinks = (hrefOf: (format: 'csv' | 'ndjson') => string): Html[] =>
  (['csv', 'ndjson'] as const).map(
    (format) => html`<a class="button" href="${hrefOf(format)}" download>Export ${format.toUpperCase()}</a>`,
  )

export const exportName = (what: string, { nowMs, timezone }: LocalTime, format: 'csv' | 'ndjson'): string =>
  `${what}-${localDate(zoneNamed(timezone), nowMs)}.${format}`

/** Newest first, each day under its date. */
export function inDays<T>(
  items: readonly T[],
  atOf: (item: T) => string,
  rowOf: (item: T) => DataRow,
  time: LocalTime,
) {
  const days = Map.groupBy(items, (item) => dateText(atOf(item), time))
  return [...days].flatMap(([day, ofDay]): (DataRow | DayRow)[] => [{ day }, ...ofDay.map(rowOf)])
}

interface LogParts {
  what: 'entries' | 'requests'
  /** The address of the page with the filter, and without it. */
  hrefOf(before: string | null): string
  all: string
  searchPlaceholder: string
  /** A narrow page folds them, unless one of them is in use. */
  filters: Html
  table: Html | null
  /** Beside the table, or above it where there is no room. */
  detail?: Part
  /** Instead of a table. */
  nothing: Html
  belowFilter?: Part
  belowTable?: Part
}

export function logParts(model: LogModel<'q'>, parts: LogParts): Part {
  const { what, all, table, detail = null, belowFilter = null, belowTable = null } = parts
  const isOpen = Object.entries({ ...model.fields, ...model.errors }).some(
    ([name, text]) => name !== 'q' && text !== '',
  )
  const nothing = model.isFirst ? parts.nothing : html`<h2>No older ${what}</h2>`
  return [
    errorSummary(model.errors, 'Nothing was searched.'),
    html`<form class="log-filter of-${what}" method="post" action="${all}" role="search" novalidate>${csrfField(model.frame)}
${filterField(model, 'q', 'Search', html`${textInput} placeholder="${parts.searchPlaceholder}"`)}
<details class="more-filters"${isOpen && html` open`}><summary>More filters</summary>${parts.filters}</details>
<div class="buttons"><button class="button">Filter</button>${isFiltered(model) && html`<a class="quiet" href="${all}">Show all</a>`}</div></form>`,
    belowFilter,
    table === null
      ? isValid(model) && !model.isCut && html`<section class="panel empty">${nothing}</section>`
      : html`<div class="${detail !== null && 'with-detail'}">${detail}<div class="panel">${table}</div></div>`,
    belowTable,
    logPager(model, parts),
  ]
}

function logPager({ isFirst, older, isCut }: LogModel<'q'>, { what, hrefOf }: LogParts): Part {
  if (isFirst && older === null) return false
  const next = isCut ? `Search older ${what}` : `Older ${what}`
  return html`${isCut && noticeLine('neutral', `Older ${what} have not been searched yet.`)}<p class="pager buttons">${!isFirst && html`<a class="button" href="${hrefOf(null)}">Newest ${what}</a>`}${older !== null && html`<a class="button" rel="next" href="${hrefOf(older)}">${next}</a>`}</p>`
}
