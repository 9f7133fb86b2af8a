/** Paths that no resource may use. A trailing slash includes everything below the path. */
export const reservedPaths = [
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

/** Paths at which clients guess that OAuth is: they get a hint, and no resource may hide it. */
export const guessedOauthNames = ['authorize', 'register', 'token'] as const

export type ReservedPath = (typeof reservedPaths)[number]

export const isServedBy = (paths: readonly ReservedPath[], path: string): boolean =>
  paths.some((each) => (each.endsWith('/') && each !== '/' ? path.startsWith(each) : path === each))
