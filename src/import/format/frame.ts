import { isUtf8 } from 'node:buffer'
import { parseOrExplain } from '../../lib/json-text.ts'
import { clip } from '../../lib/plain-text.ts'

/** A part of the input: a file, or a page of an API. */
export interface InputPart {
  chunks: AsyncIterable<Buffer>
  /** Shown with a bad record, if there are several. */
  name?: string | undefined
  /** Whether another one follows, as far as is known before the document of this one is read, or by it. */
  hasNext?(document?: unknown): boolean
  /** Opens it. The document that was read from this one may lead to it. */
  next?(document?: unknown): Promise<InputPart | undefined>
}

/** The line on which a record starts, and its 1-based number in an array. A document has only the number. */
export interface RecordPosition {
  input?: string
  line?: number
  item?: number
  /** The record's id, if that could be read. */
  id?: string | undefined
}

const MAX_ID_CHARACTERS = 60

export function positionText({ input = '', line, item, id }: RecordPosition): string {
  const named = Object.entries({ line, item, id: id && clip(id, MAX_ID_CHARACTERS) })
  return [input, ...named.map(([name, value]) => (value === undefined ? '' : `${name} ${value}`))]
    .filter(Boolean)
    .join(', ')
}

/** A record as found in the file. */
export type Frame = RecordPosition & ({ text: string } | { cells: string[] } | { value: unknown } | FrameProblem)

/** With `endsFile`, the rest of the file cannot be parsed. */
type FrameProblem = { problem: string; endsFile?: true }

export type Frames = AsyncGenerator<Frame[]>

/** Without a limit, a file without line breaks would fill the memory. */
export const MAX_RECORD_BYTES = 1_048_576

export const TOO_LONG = 'is longer than 1 MiB'
export const NOT_UTF8 = 'is not UTF-8 text; save it as UTF-8 first (in Excel: CSV UTF-8)'

/** Undefined stands for a record that is too long. */
export function textOf(record: Buffer | undefined): { text: string } | FrameProblem {
  if (record === undefined || record.length > MAX_RECORD_BYTES) return { problem: TOO_LONG, endsFile: true }
  return isUtf8(record) ? { text: record.toString() } : { problem: NOT_UTF8 }
}

/** The cells of a row, which has as many as the header, or a JSON value. */
export function valueIn(frame: Frame, columnCount: number): { value: unknown } | FrameProblem {
  if ('problem' in frame || 'value' in frame) return frame
  if ('cells' in frame) {
    const { length } = frame.cells
    if (length === columnCount) return { value: frame.cells }
    return { problem: `has ${length === 1 ? '1 cell' : `${length} cells`} where the header has ${columnCount}` }
  }
  const parsed = parseOrExplain(frame.text)
  if ('value' in parsed) return parsed
  // The parser counts lines within the record, which would be confusing next to the file's line number.
  return { problem: `the record ${parsed.problem.replace(/ \(line \d+ column \d+\)$/, '')}` }
}

export const NEWLINE = 0x0a

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
