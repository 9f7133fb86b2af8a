/** Reports the length of each chunk before passing it on. */
export async function* countBytes(chunks: AsyncIterable<Buffer>, onBytes: (length: number) => void) {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}

/** The whole content. Throws what `tooLarge` returns if it has more than `maxBytes`. */
export async function readUpTo(chunks: AsyncIterable<Buffer>, maxBytes: number, tooLarge: () => Error) {
  const held: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    held.push(chunk)
  }
  return Buffer.concat(held)
}
