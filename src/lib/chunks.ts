const NEWLINE = 0x0a

/** Reports the length of each chunk before passing it on. */
export async function* countBytes(chunks: AsyncIterable<Buffer>, onBytes: (length: number) => void) {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}

/** The whole content; undefined if it has more than `maxBytes`. */
export async function readUpTo(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | undefined> {
  const held: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    held.push(chunk)
  }
  return Buffer.concat(held)
}

/** The lines that end in each chunk, without their line breaks; undefined for a line of more than `maxBytes`, which is skipped. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, maxBytes: number) {
  let rest: Buffer = Buffer.alloc(0)
  let isSkipping = false
  for await (const chunk of chunks) {
    const lines: (Buffer | undefined)[] = []
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(NEWLINE, rest.length); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      if (!isSkipping) lines.push(end - start > maxBytes ? undefined : bytes.subarray(start, end))
      isSkipping = false
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (rest.length > maxBytes && !isSkipping) lines.push(undefined)
    isSkipping ||= rest.length > maxBytes
    if (isSkipping) rest = Buffer.alloc(0)
    yield lines
  }
  if (rest.length > 0) yield [rest]
}
