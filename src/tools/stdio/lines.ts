/** A message as long as the server takes: longer ones it would refuse. */
const MAX_LINE_BYTES = 1024 * 1024

const NEWLINE = 0x0a

/** The lines of a stream without their ends; undefined stands for one that is too long, of which nothing is kept. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<string | undefined> {
  let held: Buffer[] = []
  let heldBytes = 0
  const take = (): string | undefined => {
    const line = heldBytes > maxBytes ? undefined : Buffer.concat(held).toString('utf8').replace(/\r$/, '')
    held = []
    heldBytes = 0
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    hold(chunk.subarray(start))
  }
  if (heldBytes > 0) yield take()

  function hold(piece: Buffer): void {
    heldBytes += piece.length
    if (heldBytes > maxBytes) held = []
    else held.push(piece)
  }
}
