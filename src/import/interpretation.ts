import type { Row } from '../database/table.ts'
import type { Place } from './frame.ts'

/** How the values in a file become rows: by Vitrine's own field names, or by a map. */
export interface Interpretation {
  maxColumns: number
  /** Of a CSV file, whose rows are interpreted by its header. */
  ofHeader(names: readonly string[]): Header
  ofJson(): Interpret
}

/** Without `interpret`, the header is useless and no row can be understood. */
export type Header = Refused & { interpret?: Interpret }

/** Takes the cells of a row, or the value of a JSON record. */
export type Interpret = (value: unknown, place: Place & { array?: string }) => Outcome

/** Undefined for what is left out. */
export type Outcome = { row: Row } | Refused | undefined

export interface Refused {
  problems: string[]
  /** Columns or members that are not known here; a ready map may know them. */
  strange?: { names: readonly string[]; format: 'csv' | 'json' }
}
