import { ProblemError } from '../problems/problem.ts'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** Any parameter may follow, as long as a charset is UTF-8. */
const isJson = (contentType: string) =>
  JSON_TYPE.test(contentType) && /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? 'utf-8')

export function checkMediaType(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentType === 'application/json' && contentEncoding === undefined) return
  if (contentType === undefined)
    throw new ProblemError('unsupported_media_type', 'The request has no Content-Type header.')
  if (!isJson(contentType))
    throw new ProblemError('unsupported_media_type', 'The Content-Type is not application/json in UTF-8.')
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity')
    throw new ProblemError('unsupported_media_type', 'Encoded bodies are not accepted.')
}
