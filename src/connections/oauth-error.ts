import type { ProblemCode } from '../problems/catalogue.ts'

/** RFC 6749, 4.1.2.1 and 5.2; RFC 7591, 3.2.2; RFC 8707, 2. Clients parse the code, and show the description to people. */
const oauthErrorCodes = [
  'access_denied',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'server_error',
  'temporarily_unavailable',
  'unsupported_grant_type',
  'unsupported_response_type',
] as const

export type OAuthErrorCode = (typeof oauthErrorCodes)[number]

export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly status: number
  /** Alternating names and values. */
  readonly headers: readonly string[]

  constructor(code: OAuthErrorCode, description: string, status = 400, headers: readonly string[] = []) {
    super(description)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

/** Problems that an endpoint's client may get, whether or not the request reached the endpoint. A wrong method stays a problem. */
export const oauthErrorOf: Partial<Record<ProblemCode, OAuthErrorCode>> = {
  bad_request: 'invalid_request',
  request_timeout: 'invalid_request',
  internal_error: 'server_error',
  overloaded: 'temporarily_unavailable',
}

/** What the log and the metrics report about connections. A client chose none of it. */
export const connectionSteps = ['registration', 'consent', 'code', 'refresh', 'revocation'] as const
/** `reused`: a code or refresh token was used again, so the connection was revoked. */
export const connectionOutcomes = ['ok', 'reused', ...oauthErrorCodes] as const

export type ConnectionStep = (typeof connectionSteps)[number]
export type ConnectionOutcome = (typeof connectionOutcomes)[number]

export type ObserveConnection = (step: ConnectionStep, outcome: ConnectionOutcome) => void
