import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptedCoding } from '../lib/accept.ts'
import { MIN_COMPRESSED_BYTES } from '../lib/served-file.ts'
import type { Answer } from '../operation.ts'

const compress = promisify(gzip)

/** An answer of the pages. It is compressed only if it says so: one that shows a secret never is (BREACH). */
export interface PageAnswer extends Answer {
  mayCompress?: boolean
}

/** The answer for a client that accepts these content codings. Brotli is left out: at its best it takes too long for one request. */
export async function compressed({ mayCompress, ...answer }: PageAnswer, accept: string | undefined): Promise<Answer> {
  const [bytes] = answer.body
  if (!mayCompress || !Buffer.isBuffer(bytes) || bytes.length < MIN_COMPRESSED_BYTES) return answer
  const headers = [...answer.headers, 'Vary', 'Accept-Encoding']
  const coding = acceptedCoding(accept, ['gzip'])
  if (coding === undefined) return { ...answer, headers }
  return { ...answer, headers: [...headers, 'Content-Encoding', coding], body: [await compress(bytes)] }
}
