import type { OperatorStore, Transaction } from '../database/store.ts'
import { foldForSearch } from '../lib/fold-case.ts'
import type { SlicedLog } from './slices.ts'
import { isOfKind, readTrail, type TrailEntry, type TrailPosition, type TrailQuery } from './trail.ts'
import { actionText } from './wording.ts'

export interface TrailFilter extends Omit<TrailQuery, 'before' | 'limit'> {
  /** Part of the actor, case-insensitive. */
  actor: string
  /** Words that must all occur in an entry, case-insensitive. */
  search: string
  /** Other names for subjects, such as a key's current label, that the search also matches. */
  namesOf?: (tx: Transaction, subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** Reads by an index on time or on subject and time, and filters here, so that both engines give the same result. */
export function trailLog(
  store: Pick<OperatorStore, 'read'>,
  filter: TrailFilter,
): SlicedLog<TrailEntry, TrailPosition> {
  const passes = entryMatcher(filter)
  return {
    isFiltered: passes !== undefined,
    positionOf: ({ position }) => position,
    read: (before, limit) =>
      store.read(async (tx) => {
        const rows = await readTrail(tx, { ...filter, before, limit })
        if (passes === undefined) return { rows, matches: rows }
        const subjects = new Set(filter.search === '' ? [] : rows.map(({ subject }) => subject))
        const names = await filter.namesOf?.(tx, [...subjects])
        return { rows, matches: rows.filter((entry) => passes(entry, names?.get(entry.subject))) }
      }),
  }
}

/** Undefined if every entry passes. */
function entryMatcher({ kind, actor, search }: TrailFilter) {
  const words = foldForSearch(search).split(/\s+/).filter(Boolean)
  const who = foldForSearch(actor)
  if (kind === null && who === '' && words.length === 0) return undefined
  return (entry: TrailEntry, name: string | undefined): boolean => {
    if (kind !== null && !isOfKind(entry, kind)) return false
    if (!foldForSearch(entry.actor).includes(who)) return false
    if (words.length === 0) return true
    const text = foldForSearch(textOf(entry, name))
    return words.every((word) => text.includes(word))
  }
}

/** The text that people see, and the stored action. */
const textOf = ({ action, actor, subject, detail }: TrailEntry, name = ''): string =>
  [actionText(action), action, actor, subject, name, ...valuesIn(detail)].join('\n')

function* valuesIn(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* valuesIn(part)
  else if (value !== null) yield String(value)
}
