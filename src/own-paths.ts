/**
 * Every path that the service serves beside those of its resources. A page and the MCP endpoint can only be served under one of
 * these, and no resource may take one. A path that ends with a slash stands for everything below it.
 */
export const ownPaths = [
  '/',
  '/api/',
  '/docs',
  '/docs/',
  '/healthz',
  '/llms.txt',
  '/mcp',
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

/** Whether a path is one of these, or below one of them. */
export const isServedBy = (paths: readonly OwnPath[], path: string): boolean =>
  paths.some((own) => (own.endsWith('/') && own !== '/' ? path.startsWith(own) : path === own))
