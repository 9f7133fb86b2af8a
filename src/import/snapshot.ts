import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { version } from '../version.ts'
import { FetchError } from './fetch-failures.ts'
import { FETCH_LIMITS, type FetchLimits } from './fetch-limits.ts'
import { followRedirects } from './follow-redirects.ts'
import { ACCEPTED_ENCODINGS, responseBody } from './response-body.ts'
import { conditionalHeaders, type Validators, validatorsOf } from './validators.ts'

export interface Snapshot extends Validators {
  chunks: AsyncIterable<Buffer>
  /** How many bytes will come, if that is known. */
  sizeBytes: number | undefined
  /** To be called in any case, also if the chunks are not read. */
  close(): void
}

export interface SnapshotOptions {
  /** Of the snapshot that was synced last: the server may answer that it is still the one. */
  validators?: Validators
  /** Headers that only the origin of the URL may see. */
  credentials?: Readonly<Record<string, string>>
  limits?: FetchLimits
  /** Ends it at any point. */
  signal?: AbortSignal
}

const NO_VALIDATORS: Validators = { etag: null, lastModified: null }

/** Fetches what a URL names. Rejects unless it is a whole snapshot, which may show only when its chunks are read. */
export async function openSnapshot(
  first: URL,
  { validators = NO_VALIDATORS, credentials = {}, limits = FETCH_LIMITS, signal }: SnapshotOptions = {},
): Promise<Snapshot | 'not modified'> {
  const end = new AbortController()
  const tooSlow = () => end.abort(new FetchError(first, `was not fetched within ${limits.totalMs / 1000} seconds`))
  const timer = setTimeout(tooSlow, limits.totalMs).unref()
  const close = () => {
    clearTimeout(timer)
    end.abort()
  }
  const conditions = conditionalHeaders(validators)
  const headers = {
    'user-agent': `vitrine/${version}`,
    accept: '*/*',
    'accept-encoding': ACCEPTED_ENCODINGS,
    ...conditions,
  }
  const either = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal])
  try {
    const request = { headers, credentials, limits, signal: either }
    const { response, url, isTrusted } = await followRedirects(first, request)
    // It may fail before its body is read.
    response.on('error', () => {})
    if (response.statusCode === 304 && Object.keys(conditions).length > 0) {
      close()
      return 'not modified'
    }
    if (response.statusCode !== 200)
      throw new FetchError(url, statusProblem(response, Object.keys(credentials).length > 0, isTrusted))
    return { ...validatorsOf(response.headers), ...bodyOf(url, response, limits, either), close }
  } catch (error) {
    close()
    throw error
  }
}

function bodyOf(
  url: URL,
  response: IncomingMessage,
  limits: FetchLimits,
  signal: AbortSignal,
): Pick<Snapshot, 'chunks' | 'sizeBytes'> {
  const { 'content-length': length, 'content-encoding': encoding } = response.headers
  const isPlain = length !== undefined && encoding === undefined
  return { chunks: responseBody(url, response, limits, signal), sizeBytes: isPlain ? Number(length) : undefined }
}

function statusProblem({ statusCode = 0 }: IncomingMessage, hasCredentials: boolean, isTrusted: boolean): string {
  const response = `answers ${[statusCode, STATUS_CODES[statusCode]].filter(Boolean).join(' ')} instead of 200`
  if (statusCode !== 401 && statusCode !== 403) return response
  if (!hasCredentials) return `${response}; set SYNC_TOKEN_FILE or SYNC_HEADER_FILE if it needs credentials`
  if (!isTrusted)
    return `${response}; it was redirected to, and credentials go only to the origin of the URL that is given`
  return `${response}; check the credentials in SYNC_TOKEN or SYNC_HEADER`
}
