import { type Answered, VitrineProblem, VitrineResponseError } from './errors.ts'
import { retryAfterSeconds } from './retry.ts'

/** The body of a 200, frozen, since it may be returned again; whatever else came is thrown. */
export function readAnswer(response: Response, text: string): unknown {
  const { status, headers } = response
  const answered: Answered = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfterSeconds(response),
  }
  const type = headers.get('content-type') ?? 'no content type'
  const body = /\bjson\b/.test(type) ? parse(text) : undefined
  if (status === 200 && body !== undefined) return body
  if (status >= 400 && isProblem(body)) throw new VitrineProblem(body, answered)
  const location = headers.get('location')
  const what =
    location !== null ? `a redirect to ${location}` : status === 200 ? `no JSON (${type})` : `no problem (${type})`
  const advice =
    location !== null ? 'If that is the service, use its address as url.' : 'Is something else at this address?'
  throw new VitrineResponseError(`${status} with ${what}: this is not an answer of Vitrine. ${advice}`, answered)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_, value) => Object.freeze(value))
  } catch {
    return undefined
  }
}

function isProblem(body: unknown): body is ConstructorParameters<typeof VitrineProblem>[0] {
  return typeof (body as { code?: unknown } | null | undefined)?.code === 'string'
}
