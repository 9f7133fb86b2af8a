import { guessedOauthNames, type ReservedPath } from '../api/reserved-paths.ts'

/** The only path whose 401 leads clients to the metadata: `/mcp` and `/v1/mcp` stay as they were published. */
export const CONNECT_PATH = '/v2/mcp' satisfies ReservedPath
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/v2/mcp' satisfies ReservedPath
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server' satisfies ReservedPath

/** The endpoints that programs call. People see `/oauth/authorize`, which is a page. */
export const ENDPOINT_PATHS = ['/oauth/register', '/oauth/revoke', '/oauth/token'] as const satisfies ReservedPath[]

/** RFC 9728. Clients compare `resource` with the URL that a person pasted, character by character. */
export const resourceMetadata = (publicUrl: string, permissions: readonly string[]) => ({
  resource: publicUrl + CONNECT_PATH,
  authorization_servers: [publicUrl],
  scopes_supported: permissions,
  bearer_methods_supported: ['header'],
  resource_name: 'Vitrine',
  resource_documentation: `${publicUrl}/docs/connecting`,
})

/** RFC 8414, with the members of RFC 9207 and of client ID metadata documents. */
export function serverMetadata(publicUrl: string, permissions: readonly string[]) {
  const endpoint = (path: ReservedPath) => publicUrl + path
  return {
    issuer: publicUrl,
    authorization_endpoint: endpoint('/oauth/authorize'),
    token_endpoint: endpoint('/oauth/token'),
    registration_endpoint: endpoint('/oauth/register'),
    revocation_endpoint: endpoint('/oauth/revoke'),
    scopes_supported: permissions,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs/connecting`,
  }
}

/** An absolute URL on one line: clients drop a relative one silently. */
export const challengeOf = (publicUrl: string, permissions: readonly string[]): string =>
  `, resource_metadata="${publicUrl}${RESOURCE_METADATA_PATH}", scope="${permissions.join(' ')}"`

const OAUTH_PATH = new RegExp(
  `^/(?:\\.well-known/(?:oauth-|openid-configuration(?:$|/))|oauth(?:$|/)|(?:${guessedOauthNames.join('|')})$)`,
)
const HEADER =
  'the header "Authorization: Bearer <key>", with a key from the workspace settings, AI & agents › API keys.'

/** For paths that clients guess: they show the body of a 404 to people. */
export function hintForOAuthPath(path: string, isOn: boolean): string | undefined {
  if (!OAUTH_PATH.test(path)) return undefined
  if (!isOn) return `There is no OAuth here. The client needs ${HEADER}`
  return `OAuth is offered at ${CONNECT_PATH}, with the endpoints that ${SERVER_METADATA_PATH} lists. A client without OAuth needs ${HEADER}`
}
