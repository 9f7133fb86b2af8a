import type { Place } from './query.ts'
import { byteKey } from './sort-key.ts'

/** A row's place among others that are sorted here, and not by a database. */
export interface Placed {
  id: string
  place: Place
  /** Compares as the sort key does in a database. */
  key: string
}

export const placed = (id: string, place: Place): Placed => ({ id, place, key: byteKey(place[0]) })

export const byPlace = (a: Pick<Placed, 'place' | 'key'>, b: Pick<Placed, 'place' | 'key'>) =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : a.place[1] - b.place[1]
