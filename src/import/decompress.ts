import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { formatCount } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'

export const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Throws unless it is whole and decompresses to at most `maxBytes`. `fail` creates the error. */
export async function* decompressed(
  chunks: AsyncIterable<Buffer>,
  encoding: keyof typeof decoders,
  maxBytes: number,
  fail: (problem: string, cause?: unknown) => Error,
): AsyncGenerator<Buffer> {
  const decoder = decoders[encoding]()
  let [received, bytes] = [0, 0]
  const counted = async function* () {
    for await (const chunk of chunks) {
      received += chunk.length
      yield chunk
    }
  }
  // Failures on either side are thrown by the loop below.
  pipeline(Readable.from(counted(), { objectMode: false }), decoder, () => {})
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw fail(`is larger than ${formatCount(maxBytes)} bytes, the limit`)
      yield chunk
    }
  } catch (error) {
    if (error instanceof UserError) throw error
    throw fail(`is not valid ${encoding}, or was truncated`, error)
  }
  // The decoder treats trailing bytes as padding, but they could be the damaged rest of the snapshot.
  if (decoder.bytesWritten !== received) throw fail(`continues after the end of its ${encoding} data`)
}
