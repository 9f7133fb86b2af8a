import { isUtf8 } from 'node:buffer'

/** Where a record begins. An array may lie on one line, so its records are numbered too. */
export interface Place {
  line: number
  item?: number
}

/**
 * A record as it was found in the file: as JSON text, as a value read already, or unreadable. In a document it names its
 * array; `names` are columns of which a map may know what they mean.
 */
export type Frame = Place & { array?: string } & (
    | { text: string }
    | { value: unknown }
    | { problem: string; isLast?: true; names?: readonly string[] }
  )

/** Cuts a file into records, chunk by chunk. After a frame that `isLast`, nothing more of the file can be understood. */
export interface Framer {
  push(chunk: Buffer): Frame[] | Promise<Frame[]>
  end(): Iterable<Frame[]> | AsyncIterable<Frame[]>
}

/** No record is that long; without a bound, a file with no line breaks would fill the memory. */
export const MAX_RECORD_BYTES = 1_048_576

export const TOO_LONG = 'is longer than 1 MiB'
export const NOT_UTF8 = 'is not UTF-8 text'

/** The bytes of the record that is being read, which may have begun in an earlier chunk. */
export class RecordBytes {
  #kept: Buffer | undefined
  #length = 0

  /** Keeps the part of the record that lies in this chunk; the length goes on counting when there is no more room. */
  keep(part: Buffer): void {
    if (part.length === 0) return
    this.#kept ??= Buffer.allocUnsafe(MAX_RECORD_BYTES)
    if (this.#length + part.length <= MAX_RECORD_BYTES) part.copy(this.#kept, this.#length)
    this.#length += part.length
  }

  /** Gives the whole record, of which `part` is the end, and makes ready for the next. */
  finish(part: Buffer): { text: string } | { problem: string } {
    let bytes = part
    if (this.#kept !== undefined && this.#length > 0) {
      this.keep(part)
      bytes = this.#kept.subarray(0, this.#length)
    }
    const isTooLong = Math.max(this.#length, part.length) > MAX_RECORD_BYTES
    this.#length = 0
    if (isTooLong) return { problem: TOO_LONG }
    return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { problem: NOT_UTF8 }
  }
}

export const NEWLINE = 0x0a

/** Space as JSON knows it. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
