import type { PrivateRequest } from '../operation.ts'
import { PageError } from './page-error.ts'

const MAX_BYTES = 16 * 1024

/** The fields of a form as browsers send it; no page here sends files. */
export async function readForm(request: PrivateRequest): Promise<URLSearchParams> {
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new PageError(400, 'Not a form', 'Send the form from its page.')
  const body = await request.body(MAX_BYTES, () => new PageError(413, 'Too much text', 'Shorten what you typed.'))
  return new URLSearchParams(body.toString())
}
