import { isUtf8 } from 'node:buffer'

/** The line on which a record starts, and its 1-based number in an array. A document has only the number. */
export interface Place {
  line?: number
  item?: number
}

export const placeText = ({ line, item }: Place): string =>
  [...(line === undefined ? [] : [`line ${line}`]), ...(item === undefined ? [] : [`item ${item}`])].join(', ')

/** A record as found in the file. After one with `isLast`, the rest of the file cannot be parsed. */
export type Frame = Place &
  ({ text: string } | { cells: string[] } | { value: unknown } | { problem: string; isLast?: true })

export type Frames = AsyncGenerator<Frame[]>

/** Without a limit, a file without line breaks would fill the memory. */
export const MAX_RECORD_BYTES = 1_048_576

export const TOO_LONG = 'is longer than 1 MiB'
export const NOT_UTF8 = 'is not UTF-8 text'

export function textOf(record: Buffer): { text: string } | { problem: string; isLast?: true } {
  if (record.length > MAX_RECORD_BYTES) return { problem: TOO_LONG, isLast: true }
  return isUtf8(record) ? { text: record.toString() } : { problem: NOT_UTF8 }
}

export const NEWLINE = 0x0a

/** Whitespace as JSON defines it. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
