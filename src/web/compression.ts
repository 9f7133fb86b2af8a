import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptedCoding } from '../lib/http-headers.ts'
import { MIN_COMPRESSED_BYTES } from '../lib/served-file.ts'
import type { HttpResponse } from '../operation.ts'

const compress = promisify(gzip)

/** A response of the pages. It is compressed only if it says so: one that shows a secret never is (BREACH). */
export interface PageResponse extends HttpResponse {
  mayCompress?: boolean
}

/** The response for a client that accepts these content codings. Brotli is left out: at its best it takes too long for one request. */
export async function compressed(
  { mayCompress, ...response }: PageResponse,
  accept: string | undefined,
): Promise<HttpResponse> {
  const [bytes] = response.body
  if (!mayCompress || !Buffer.isBuffer(bytes) || bytes.length < MIN_COMPRESSED_BYTES) return response
  const headers = [...response.headers, 'Vary', 'Accept-Encoding']
  const coding = acceptedCoding(accept, ['gzip'])
  if (coding === undefined) return { ...response, headers }
  return { ...response, headers: [...headers, 'Content-Encoding', coding], body: [await compress(bytes)] }
}
