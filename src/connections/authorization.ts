import { defaultPermissions, permissionsOf, type Resource } from '../resources/define.ts'
import { type Client, checkDestination, checkHost, matchRedirect } from './client.ts'
import { type Clients, isDocumentId } from './client-document.ts'
import { CONNECT_PATH } from './metadata.ts'
import { OAuthError } from './oauth-error.ts'

/** Where the response goes. It has been checked, so errors may be sent there as well. */
export interface ResponseTarget {
  client: Client
  redirectUri: string
  /** Undefined if the client sent none, or none that can be sent back. */
  state: string | undefined
}

/** What a client asks a person for (RFC 6749, 4.1.1; RFC 7636; RFC 8707). */
export interface AuthorizationRequest extends ResponseTarget {
  codeChallenge: string
  permissions: string[]
}

interface TargetOptions {
  clients: Pick<Clients, 'find'>
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
  // Before the document is fetched: nothing is asked of a host that may not connect.
  const documentUrl = isDocumentId(id) ? URL.parse(id) : null
  if (documentUrl !== null) checkHost(documentUrl.hostname, options.allowed)
  const client = await options.clients.find(id, options.address)
  const redirectUri = matchRedirect(client, target.get('redirect_uri'))
  if (redirectUri === undefined)
    throw new OAuthError('invalid_redirect_uri', 'It wants the response at an address that it has not registered.')
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

/** RFC 9207: by `iss`, a client that uses several servers notices a response from the wrong one. */
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
      if (this.#values.has(name)) throw new OAuthError('invalid_request', 'A parameter is repeated.')
      this.#values.set(name, value)
    }
  }

  get(name: string): string | undefined {
    const value = this.#values.get(name) || undefined
    if (value !== undefined && !/^[\x20-\x7e]+$/.test(value))
      throw new OAuthError('invalid_request', `The parameter ${name} contains characters that are not printable ASCII.`)
    return value
  }

  required(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
    return value
  }

  /** RFC 8707: a token is for this service alone, whether or not the client says so. */
  checkResource(publicUrl: string): void {
    const resource = publicUrl + CONNECT_PATH
    if ((this.get('resource') ?? resource) !== resource)
      throw new OAuthError('invalid_target', `The only resource is ${resource}.`)
  }
}
