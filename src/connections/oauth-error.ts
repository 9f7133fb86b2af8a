/** RFC 6749, 5.2; RFC 7591, 3.2.2; RFC 8707, 2. Clients parse the code, and show the description to people. */
export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly status: number

  constructor(code: OAuthErrorCode, description: string, status = 400) {
    super(description)
    this.code = code
    this.status = status
  }
}
