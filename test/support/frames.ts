import type { Frame, Frames } from '../../src/import/format/frame.ts'

/** A file in chunks of a size. */
export async function* chunksOf(file: string | Buffer, chunkBytes = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(file)
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

/** Takes frames as the import does: nothing is asked for after the last one. */
export async function framesUpToLast(frames: Frames): Promise<Frame[]> {
  const taken: Frame[] = []
  for await (const batch of frames)
    for (const frame of batch) {
      taken.push(frame)
      if ('endsFile' in frame) return taken
    }
  return taken
}
