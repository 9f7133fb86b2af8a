/**
 * src/connections: programs that people connect by signing in (OAuth 2.1, authorization code with PKCE).
 *
 *   authorization.ts   checks what a client asks a person for; src/web/connect has the consent page and the endpoints
 *   client.ts          clients that registered themselves; client-document.ts: clients described by a document at a URL
 *   redirect-uri.ts    where codes may be sent; oauth-error.ts: the errors that clients get, and what is logged and counted
 *   tokens.ts          issues, refreshes and revokes codes and tokens; records.ts stores their hashes
 *   metadata.ts        shows clients where the endpoints are
 *
 * A connection is a key with a client. Consent issues a code, which is valid for a minute. Redeeming it creates the key in the name
 * of the person who consented. The client then has an access token, which admission accepts in place of the key's own, and a
 * refresh token, which can only be exchanged for the next pair of tokens.
 *
 * A refresh replaces both. The next pair is derived from the presented refresh token and a random salt in its row, so the same
 * token presented again within a minute gives the same pair: a response may be lost, and two requests may race on two replicas.
 * Neither the database nor an old token alone yields a token. Replaced access tokens stay valid for the rest of their hour.
 *
 * Invariants:
 * - The database stores only hashes of codes and tokens. Salts are forgotten with the next refresh, once their minute has passed.
 * - A code that is used again, or a refresh token that was replaced over a minute ago, may be stolen: the key is revoked, which is
 *   in the audit log and on the key's page. While a connection is paused, no token is replaced.
 * - Failures are returned, not thrown: the transaction that has revoked a key, or consumed a code, must commit.
 * - A key is locked before its tokens are read, and audit entries are appended last.
 */
import { defaultPermissions, permissionsOf, type Resource } from '../resources/define.ts'
import { type Client, checkDestination, checkHost, matchRedirect } from './client.ts'
import { type ClientRegistry, isDocumentId } from './client-document.ts'
import { CONNECT_PATH } from './metadata.ts'
import { OAuthError } from './oauth-error.ts'

/** Where the response goes. It has been checked, so errors may be sent there as well. */
export interface ResponseTarget {
  client: Client
  redirectUri: string
  /** Undefined if the client sent none, or one that cannot be sent back. */
  state: string | undefined
}

/** What a client asks a person for (RFC 6749, 4.1.1; RFC 7636; RFC 8707). */
export interface AuthorizationRequest extends ResponseTarget {
  codeChallenge: string
  permissions: string[]
}

interface TargetOptions {
  clients: Pick<ClientRegistry, 'find'>
  /** Hosts; empty if any may connect. */
  allowed: readonly string[]
  /** The person's. */
  address: string | undefined
}

const MAX_STATE = 1000
const TARGET = ['client_id', 'redirect_uri']
/** A SHA-256 in base64url. */
const CODE_CHALLENGE = /^[\w-]{43}$/

/** Throws an OAuthError for the person: while the target is in doubt, nothing may be sent there. */
export async function findTarget(params: URLSearchParams, options: TargetOptions): Promise<ResponseTarget> {
  const target = new OAuthParameters(new URLSearchParams([...params].filter(([name]) => TARGET.includes(name))))
  const id = target.required('client_id')
  // Before the document is fetched: no request is sent to a host that may not connect.
  const documentUrl = isDocumentId(id) ? URL.parse(id) : null
  if (documentUrl !== null) checkHost(documentUrl.hostname, options.allowed)
  const client = await options.clients.find(id, options.address)
  const redirectUri = matchRedirect(client, target.get('redirect_uri'))
  if (redirectUri === undefined)
    throw new OAuthError('invalid_redirect_uri', 'It asks for the response at an address that it has not registered.')
  checkDestination(redirectUri, options.allowed)
  const [state = '', ...more] = params.getAll('state')
  const isUsable = state !== '' && state.length <= MAX_STATE && more.length === 0
  return { client, redirectUri, state: isUsable ? state : undefined }
}

/** Throws an OAuthError for the client. Descriptions are ASCII without quotes (RFC 6749, 4.1.2.1). */
export function readRequest(
  params: URLSearchParams,
  target: ResponseTarget,
  { publicUrl, resources }: { publicUrl: string; resources: readonly Resource[] },
): AuthorizationRequest {
  const parameters = new OAuthParameters(params)
  if ((parameters.get('state')?.length ?? 0) > MAX_STATE) throw invalid(`The state is over ${MAX_STATE} characters.`)
  if (parameters.required('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'The only response_type is code.')
  const codeChallenge = parameters.required('code_challenge')
  // Without a method it would be plain.
  if (parameters.get('code_challenge_method') !== 'S256') throw invalid('The code_challenge_method must be S256.')
  if (!CODE_CHALLENGE.test(codeChallenge)) throw invalid('The code_challenge must be 43 characters of base64url.')
  parameters.checkResource(publicUrl)
  return { ...target, codeChallenge, permissions: permissionsIn(parameters.get('scope'), resources) }
}

const invalid = (description: string) => new OAuthError('invalid_request', description)

/** Unknown scopes are ignored: many clients always ask for "openid" or "offline_access". */
function permissionsIn(scope: string | undefined, resources: readonly Resource[]): string[] {
  if (scope === undefined) return defaultPermissions(resources)
  const all = permissionsOf(resources)
  const wanted = scope.split(' ')
  const permissions = all.filter((permission) => wanted.includes(permission))
  if (permissions.length === 0) throw new OAuthError('invalid_scope', `Ask for at least one of: ${all.join(' ')}.`)
  return permissions
}

/** RFC 9207: `iss` lets a client that uses several servers detect a response from the wrong one. */
export function responseUri({ redirectUri, state }: ResponseTarget, issuer: string, params: Record<string, string>) {
  const response = new URLSearchParams({ ...params, ...(state !== undefined && { state }), iss: issuer })
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${response}`
}

export const errorUri = (target: ResponseTarget, issuer: string, { code, message }: OAuthError): string =>
  responseUri(target, issuer, { error: code, error_description: message })

/** A parameter without a value counts as missing, none may be repeated, and unknown ones are ignored (RFC 6749, 3.1 and 3.2). */
export class OAuthParameters {
  readonly #values = new Map<string, string>()

  constructor(form: URLSearchParams) {
    for (const [name, value] of form) {
      if (this.#values.has(name)) throw invalid('A parameter is repeated.')
      this.#values.set(name, value)
    }
  }

  get(name: string): string | undefined {
    const value = this.#values.get(name) || undefined
    if (value !== undefined && !/^[\x20-\x7e]+$/.test(value))
      throw invalid(`The parameter ${name} contains characters that are not printable ASCII.`)
    return value
  }

  required(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw invalid(`The parameter ${name} is missing.`)
    return value
  }

  /** RFC 8707: a token is only for this service, whether or not the client asks for that. */
  checkResource(publicUrl: string): void {
    const resource = publicUrl + CONNECT_PATH
    if ((this.get('resource') ?? resource) !== resource)
      throw new OAuthError('invalid_target', `The only resource is ${resource}.`)
  }
}
