import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { acceptedCoding, matchesEtag } from './http-headers.ts'
import { lazily } from './lazily.ts'

const compressed = { br: promisify(brotliCompress), gzip: promisify(gzip) }
export type Coding = keyof typeof compressed
const CODINGS: readonly Coding[] = ['br', 'gzip']

/** Below this, compression costs more than it saves. */
export const MIN_COMPRESSED_BYTES = 1024

export interface FileRequest {
  header(name: 'accept-encoding' | 'if-none-match'): string | undefined
}

/** Computes each encoding once, when first requested. */
export class ServedFile {
  readonly type: string
  readonly bytes: Buffer
  readonly hash: string
  readonly #codings: readonly Coding[]
  readonly #bytesIn: Readonly<Record<Coding, () => Promise<Buffer>>>

  constructor(type: string, content: string | Buffer, codings = CODINGS) {
    this.type = type
    this.#codings = codings
    this.bytes = Buffer.from(content)
    const { bytes } = this
    this.#bytesIn = { br: lazily(() => compressed.br(bytes)), gzip: lazily(() => compressed.gzip(bytes)) }
    this.hash = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 16)
  }

  /** Headers are alternating names and values. Each coding is a representation with its own entity tag (RFC 9110, 8.8.3.3). */
  async respond(request: FileRequest, headers: readonly string[], varies: readonly string[] = []) {
    const coding = this.#isCompressible ? acceptedCoding(request.header('accept-encoding'), this.#codings) : undefined
    const vary = this.#isCompressible ? [...varies, 'Accept-Encoding'] : varies
    const etag = `"${this.hash}${coding === undefined ? '' : `-${coding}`}"`
    const common = [...headers, 'ETag', etag, ...(vary.length > 0 ? ['Vary', vary.join(', ')] : [])]
    if (matchesEtag(request.header('if-none-match'), etag)) return { status: 304, headers: common, body: [] }
    const content = ['Content-Type', this.type, ...(coding === undefined ? [] : ['Content-Encoding', coding])]
    return {
      status: 200,
      headers: [...content, ...common],
      body: [coding === undefined ? this.bytes : await this.#bytesIn[coding]()],
    }
  }

  get #isCompressible(): boolean {
    return this.bytes.length >= MIN_COMPRESSED_BYTES && /^(text|application)\/|\+xml/.test(this.type)
  }
}
