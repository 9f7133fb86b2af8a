import { isUtf8 } from 'node:buffer'

/** Where a record begins. An array may lie on one line, so its records are numbered too. */
export interface Place {
  line: number
  item?: number
}

/**
 * A record as it was found in the file: JSON text, the cells of a row, or what is wrong with it. In a document it names its
 * array. After one that `isLast`, nothing more of the file can be understood.
 */
export type Frame = Place & { array?: string } & (
    | { text: string }
    | { cells: string[] }
    | { problem: string; isLast?: true }
  )

/** Frames in batches, as the chunks of the file arrive. */
export type Frames = AsyncGenerator<Frame[]>

/** No record is that long; without a bound, a file with no line breaks would fill the memory. */
export const MAX_RECORD_BYTES = 1_048_576

export const TOO_LONG = 'is longer than 1 MiB'
export const NOT_UTF8 = 'is not UTF-8 text'

export function textOf(record: Buffer): { text: string } | { problem: string; isLast?: true } {
  if (record.length > MAX_RECORD_BYTES) return { problem: TOO_LONG, isLast: true }
  return isUtf8(record) ? { text: record.toString() } : { problem: NOT_UTF8 }
}

export const NEWLINE = 0x0a

/** Space as JSON defines it. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
