import type { Difference } from '../database/store.ts'

/** Then nothing is written: no row, no revision, no audit entry. */
export const changesNothing = ({ created, changed, gone }: Difference): boolean => created + changed + gone === 0

/** Such as "1 task" or "1,234 tasks". */
export const counted = (count: number, singular: string, plural: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`

/** The first of many, and how many more there are. */
export function named(first: readonly string[], count: number): string {
  const more = count - first.length
  return first.join(', ') + (more > 0 ? ` and ${more.toLocaleString('en')} more` : '')
}
