import { ProblemError } from '../problems/problem.ts'

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?;?\s*$/i

export function checkMediaType(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentType === 'application/json' && contentEncoding === undefined) return
  if (contentType === undefined)
    throw new ProblemError('unsupported_media_type', 'The request has no Content-Type header.')
  if (!JSON_TYPE.test(contentType))
    throw new ProblemError('unsupported_media_type', 'The Content-Type is not application/json in UTF-8.')
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity')
    throw new ProblemError('unsupported_media_type', 'Encoded bodies are not accepted.')
}
