import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { acceptedCoding } from '../lib/accept.ts'
import { matchesEtag } from '../lib/etag.ts'
import type { Answer } from '../operation.ts'

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }
type Coding = keyof typeof compressors

/** Below, the headers and the work cost more than the bytes saved. */
const MIN_BYTES = 1024

/** An answer of the pages. It is compressed only if it says so: one that shows a secret never is (BREACH). */
export interface PageAnswer extends Answer {
  mayCompress?: boolean
}

/** The answer for a client that accepts these content codings. Brotli is left out: at its best it takes too long for one request. */
export async function compressed({ mayCompress, ...answer }: PageAnswer, accept: string | undefined): Promise<Answer> {
  const [bytes] = answer.body
  if (!mayCompress || !Buffer.isBuffer(bytes) || bytes.length < MIN_BYTES) return answer
  const headers = [...answer.headers, 'Vary', 'Accept-Encoding']
  const coding = acceptedCoding(accept, ['gzip'])
  if (coding === undefined) return { ...answer, headers }
  return { ...answer, headers: [...headers, 'Content-Encoding', coding], body: [await compressors[coding](bytes)] }
}

/** A file that is served as it is, again and again: each coding of it is computed once, when it is first asked for. */
export class ServedFile {
  readonly type: string
  readonly bytes: Buffer
  /** Of the bytes. */
  readonly hash: string
  readonly #coded = new Map<Coding, Promise<Buffer>>()

  constructor(type: string, content: string | Buffer) {
    this.type = type
    this.bytes = Buffer.from(content)
    this.hash = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 16)
  }

  /** 304 if the client has it. A coding is another representation, with an entity tag of its own (RFC 9110, 8.8.3.3). */
  async answer(request: FileRequest, headers: readonly string[], varies: readonly string[] = []): Promise<Answer> {
    const coding = this.#isCompressible ? acceptedCoding(request.header('accept-encoding'), CODINGS) : undefined
    const vary = this.#isCompressible ? [...varies, 'Accept-Encoding'] : varies
    const etag = `"${this.hash}${coding === undefined ? '' : `-${coding}`}"`
    const common = [...headers, 'ETag', etag, ...(vary.length > 0 ? ['Vary', vary.join(', ')] : [])]
    if (matchesEtag(request.header('if-none-match'), etag)) return { status: 304, headers: common, body: [] }
    const content = ['Content-Type', this.type, ...(coding === undefined ? [] : ['Content-Encoding', coding])]
    return { status: 200, headers: [...content, ...common], body: [await this.#bytesIn(coding)] }
  }

  get #isCompressible(): boolean {
    return this.bytes.length >= MIN_BYTES && /^(text|application)\/|\+xml/.test(this.type)
  }

  #bytesIn(coding: Coding | undefined): Promise<Buffer> | Buffer {
    if (coding === undefined) return this.bytes
    const known = this.#coded.get(coding)
    if (known !== undefined) return known
    const coded = compressors[coding](this.bytes)
    this.#coded.set(coding, coded)
    // The next request tries again.
    coded.catch(() => this.#coded.delete(coding))
    return coded
  }
}

export interface FileRequest {
  header(name: 'accept-encoding' | 'if-none-match'): string | undefined
}

const CODINGS: readonly Coding[] = ['br', 'gzip']
