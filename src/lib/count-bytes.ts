/** Reports the length of each chunk before passing it on. */
export async function* countBytes(
  chunks: AsyncIterable<Buffer>,
  onBytes: (length: number) => void,
): AsyncGenerator<Buffer, void> {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}
