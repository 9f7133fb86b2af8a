/**
 * Bytes to be held for long. Small buffers of Node.js are slices of a shared one, and holding a slice holds all of it: these have
 * memory of their own.
 */
export function withOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/** The same of a text of which each character is one byte. */
export function latin1WithOwnMemory(text: string): Buffer {
  const own = Buffer.allocUnsafeSlow(text.length)
  own.write(text, 'latin1')
  return own
}
