import type { Zone } from '../../lib/zone.ts'
import type { Accessor } from './pointer.ts'
import type { MapReport } from './report.ts'

/** What a map needs to read the records of one file. */
export interface MapContext {
  /** What a column or pointer finds; undefined if there is no such column. */
  find(source: string): Accessor | undefined
  /** What a key stands for in a look-up. */
  lookUp(lookup: string, key: string): string | undefined
  /** Of dates, and of times without an offset. */
  zone: Zone
  report?: MapReport
}

/** Reads a text out of a record, if it is there, and says what is wrong with it. */
export type TextReader = (record: unknown, problems: string[]) => string | undefined
