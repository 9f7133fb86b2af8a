import type { Frame, Framer } from './frame.ts'
import { type ArrayPlace, DocumentFramer } from './json-document.ts'

/** A board of a hundred thousand cards is smaller. */
export const MAX_HELD_BYTES = 67_108_864
/** What a frame takes besides its text. */
const FRAME_BYTES = 100

/**
 * Records in a document that refer to items of other arrays in it. Those items come first: records that lie before them
 * are kept until they are read, up to a bound. Without references nothing is kept.
 */
export class ReferenceFramer implements Framer {
  readonly #document: DocumentFramer
  readonly #records: string
  readonly #referredTo: readonly string[]
  #held: Frame[] = []
  #heldBytes = 0

  constructor(firstLine: number, records: ArrayPlace, referredTo: readonly ArrayPlace[]) {
    this.#document = new DocumentFramer(firstLine, [records, ...referredTo])
    this.#records = records.pointer
    this.#referredTo = referredTo.map(({ pointer }) => pointer)
  }

  async push(chunk: Buffer): Promise<Frame[]> {
    const frames = await this.#document.push(chunk)
    return this.#referredTo.length === 0 ? frames : this.#inOrder(frames)
  }

  async end(): Promise<Frame[]> {
    const frames = await this.#document.end()
    return frames.length === 0 ? this.#held : frames
  }

  #inOrder(frames: Frame[]): Frame[] {
    const isReady = this.#referredTo.every((pointer) => this.#document.isRead(pointer))
    const isOfRecords = ({ array }: Frame) => array === this.#records
    const others = frames.filter((frame) => !isOfRecords(frame))
    for (const frame of frames) if (isOfRecords(frame)) this.#hold(frame)
    if (this.#heldBytes > MAX_HELD_BYTES) return [...others, { line: this.#held[0]?.line ?? 1, ...TOO_MUCH }]
    if (!isReady) return others
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    // A document that cannot be understood further says so last.
    const last = others.filter((frame) => 'isLast' in frame)
    return [...others.filter((frame) => !('isLast' in frame)), ...held, ...last]
  }

  #hold(frame: Frame): void {
    this.#held.push(frame)
    this.#heldBytes += FRAME_BYTES + ('text' in frame ? frame.text.length : 0)
  }
}

const TOO_MUCH = {
  problem: `more than ${MAX_HELD_BYTES / 1_048_576} MiB of records come before the items that they refer to`,
  isLast: true,
} as const
