/** Paths that no resource may use. A trailing slash includes everything below the path. */
export const ownPaths = [
  '/',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/v2/mcp',
  '/api/',
  '/docs',
  '/docs/',
  '/healthz',
  '/llms.txt',
  '/mcp',
  '/oauth/authorize',
  '/oauth/register',
  '/oauth/revoke',
  '/oauth/token',
  '/openapi.json',
  '/problems',
  '/problems/',
  '/readyz',
  '/settings',
  '/settings/',
  '/settings/assets/',
  '/v1/mcp',
  '/v2/mcp',
] as const

export type OwnPath = (typeof ownPaths)[number]

export const isServedBy = (paths: readonly OwnPath[], path: string): boolean =>
  paths.some((own) => (own.endsWith('/') && own !== '/' ? path.startsWith(own) : path === own))
