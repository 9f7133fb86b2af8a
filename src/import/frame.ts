import { isUtf8 } from 'node:buffer'

/** Where a record is: the line on which it begins, and its number in an array, from 1. In a document, only its number. */
export interface Place {
  line?: number
  item?: number
}

/** Such as "line 3", "line 1, item 3" or "item 3". */
export const placeText = ({ line, item }: Place): string =>
  [...(line === undefined ? [] : [`line ${line}`]), ...(item === undefined ? [] : [`item ${item}`])].join(', ')

/**
 * A record as it was found in the file: JSON text, the cells of a row, a value that is parsed already, or what is wrong with
 * it. After one that `isLast`, nothing more of the file can be understood.
 */
export type Frame = Place &
  ({ text: string } | { cells: string[] } | { value: unknown } | { problem: string; isLast?: true })

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
