/** Every address of the public pages. */
export const sitePaths = {
  home: '/',
  docs: '/docs',
  guide: (name: string) => `/docs/${name}`,
  api: '/docs/api',
  operation: (operationId: string) => `/docs/api/${encodeURIComponent(operationId)}`,
  schemas: '/docs/api/schemas',
  schema: (name: string) => `/docs/api/schemas#${encodeURIComponent(name)}`,
  problems: '/problems',
  problem: (code: string) => `/problems/${code}`,
  /** The codes in Markdown, for agents. */
  problemsSource: '/docs/problems/README.md',
  openApi: '/openapi.json',
  llms: '/llms.txt',
  mcp: '/v2/mcp',
}
