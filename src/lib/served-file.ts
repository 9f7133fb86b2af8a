import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptsGzip, matchesEtag } from './http-headers.ts'
import { lazily } from './lazily.ts'

/** Below this, compression costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1024

export interface FileRequest {
  header(name: 'accept-encoding' | 'if-none-match'): string | undefined
}

/** Compressed once, when that is first requested. */
export class ServedFile {
  readonly type: string
  readonly bytes: Buffer
  readonly hash: string
  readonly #gzipped: () => Promise<Buffer>

  constructor(type: string, content: string | Buffer) {
    this.type = type
    this.bytes = Buffer.from(content)
    this.#gzipped = lazily(() => promisify(gzip)(this.bytes))
    this.hash = hash('sha256', this.bytes, 'base64url').slice(0, 16)
  }

  /** Headers are alternating names and values. The compressed bytes have an entity tag of their own (RFC 9110, 8.8.3.3). */
  async respond(request: FileRequest, headers: readonly string[], varies: readonly string[] = []) {
    const isCompressible = this.bytes.length >= MIN_COMPRESSED_BYTES && /^(text|application)\/|\+xml/.test(this.type)
    const isGzipped = isCompressible && acceptsGzip(request.header('accept-encoding'))
    const vary = isCompressible ? [...varies, 'Accept-Encoding'] : varies
    const etag = `"${this.hash}${isGzipped ? '-gzip' : ''}"`
    const common = [...headers, 'ETag', etag, ...(vary.length > 0 ? ['Vary', vary.join(', ')] : [])]
    if (matchesEtag(request.header('if-none-match'), etag)) return { status: 304, headers: common, body: [] }
    const content = ['Content-Type', this.type, ...(isGzipped ? ['Content-Encoding', 'gzip'] : [])]
    return { status: 200, headers: [...content, ...common], body: [isGzipped ? await this.#gzipped() : this.bytes] }
  }
}
