/**
 * An archive of a few kilobytes can unpack to more than any disk holds. All that is unpacked of one file, whatever is nested in
 * it, counts: enough for the image of a container, and a minute of work at most.
 */
const MAX_UNPACKED_BYTES = 8 * 1024 ** 3

/** Of all archives in one file together. */
export const MAX_ENTRIES = 1_000_000

/** There are archives that contain themselves. A layer of an image in an image in a backup has four levels. */
export const MAX_DEPTH = 8

/** The directory of a zip file is at its end, so that one within another archive is held in memory; all that are open at a time. */
export const MAX_HELD_BYTES = 256 * 1024 ** 2

/** What is wrong with an archive, as in "is encrypted". */
export class ArchiveError extends Error {
  override name = 'ArchiveError'
}

/** What may still be unpacked of one file. */
export class Budget {
  #bytes: number
  #entries: number
  #memory: number

  constructor(bytes = MAX_UNPACKED_BYTES, entries = MAX_ENTRIES, memory = MAX_HELD_BYTES) {
    this.#bytes = bytes
    this.#entries = entries
    this.#memory = memory
  }

  unpacked(bytes: number): void {
    this.#bytes -= bytes
    if (this.#bytes < 0) throw new ArchiveError('unpacks to too much; unpack it and scan the folder')
  }

  entered(): void {
    if (--this.#entries < 0) throw new ArchiveError('has too many entries; unpack it and scan the folder')
  }

  held(bytes: number): void {
    this.#memory -= bytes
    if (this.#memory < 0)
      throw new ArchiveError('is a zip file too large to open within another; unpack it and scan the folder')
  }

  released(bytes: number): void {
    this.#memory += bytes
  }
}
