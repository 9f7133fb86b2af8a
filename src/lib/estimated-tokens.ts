/** English and JSON have about four bytes per token. Models' vocabularies differ, so none is shipped. */
const BYTES_PER_TOKEN = 4

export const estimatedTokens = (text: string | Buffer): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
