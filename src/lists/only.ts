import { isObject } from '../lib/checker.ts'
import { parseJson } from '../lib/json-text.ts'
import type { List } from './definition.ts'
import { equalTo, type RowCondition } from './filters.ts'
import { matchesOf } from './matches.ts'
import type { ListRows, RowSource } from './rows.ts'

/** The rows that a key is limited to: by list, one field and the values that it may have. Other lists are not limited. */
export type OnlyRows = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

/** Names no list if the text is not a limit: `onlyIn` then finds no rows in any. */
export function parseOnly(text: string): OnlyRows {
  const only = parseJson(text)
  const isLimit =
    isObject(only) && Object.values(only).every((list) => isObject(list) && Object.values(list).every(isTexts))
  return isLimit ? (only as OnlyRows) : {}
}

const isTexts = (value: unknown) => Array.isArray(value) && value.every((text) => typeof text === 'string')

/**
 * What a stored limit demands of a list's rows, or of their traces, since it looks only at filtered fields. Undefined if it does not limit
 * this list. No row fulfils one that cannot be understood, such as one for a field that the list does not have any more.
 */
export function onlyIn({ name, fields, limitedBy }: List, text: string | null): RowCondition | undefined {
  if (text === null) return undefined
  const only = parseOnly(text)
  if (Object.keys(only).length > 0 && !Object.hasOwn(only, name)) return undefined
  const [[limited, values] = ['', []], ...others] = Object.entries(only[name] ?? {})
  const field = fields.find((one) => one.name === limited && limitedBy.includes(limited))
  return field === undefined || others.length > 0 ? { matches: () => false } : equalTo(field)(values)
}

/** A source of only the rows that a key may see. Readers never see the other rows. */
export const limitedSource = (list: List, source: RowSource): RowSource => ({
  read(scope, read) {
    const only = onlyIn(list, scope.only)
    return source.read(scope, (rows) => read(only === undefined ? rows : limitedRows(rows, only)))
  },
  firstRows: async (scope, limit) =>
    onlyIn(list, scope.only) === undefined ? source.firstRows(scope, limit) : undefined,
})

function limitedRows(rows: ListRows, only: RowCondition): ListRows {
  const { nextShown, revision, history } = rows
  const { hints = [], matches = () => true } = only
  return {
    nextShown,
    revision,
    get isCut() {
      return rows.isCut
    },
    walk: ({ after, ...walk }) =>
      matchesOf(rows, { ...walk, hints: [...hints, ...(walk.hints ?? [])], matches }, after),
    ...(history !== undefined && {
      history: {
        ...history,
        changed: async (...between) => limitedRows(await history.changed(...between), only),
        async *traces(revision) {
          for await (const some of history.traces(revision))
            yield some.map((trace) => (matches(trace.row) ? trace : { ...trace, shownFrom: Number.POSITIVE_INFINITY }))
        },
      },
    }),
  }
}
