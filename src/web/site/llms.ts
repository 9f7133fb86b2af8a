import type { OpenApi } from '../../lib/openapi.ts'
import { version } from '../../version.ts'
import { paths, sitePaths } from '../paths.ts'
import { operationsOf } from './api-pages.ts'
import { guideGroups } from './guides.ts'

/** The format is that of llmstxt.org. */
export function llmsText(serviceUrl: string, document: OpenApi, hasSettings: boolean): string {
  const link = (title: string, path: string, about: string) => `- [${title}](${serviceUrl}${path}): ${about}`
  const guides = guideGroups
    .flatMap((group) => group.guides)
    .map(([name, title, about]) => link(title, `${sitePaths.guide(name)}.md`, about))
  const operations = operationsOf(document).map(({ method, path, operation }) =>
    link(`${method} ${path}`, sitePaths.operation(operation.operationId), `${operation.summary}.`),
  )
  const whoCreates = hasSettings ? `, in the settings at ${serviceUrl}${paths.home}` : ''
  return `# Vitrine

> Read-only access to one workspace for scripts and AI agents, over REST and MCP. Nothing can be changed through it.

This is version ${version}, at ${serviceUrl}. Every request of the API carries a workspace API key: \`Authorization: Bearer <key>\`.
A key belongs to one workspace; its owners and admins create keys${whoCreates}. Never put a key into a URL, browser code or source
control. Every error is an RFC 9457 problem (\`application/problem+json\`) with a stable \`code\`, a \`detail\` and a \`hint\`, which says what to do.

## API

${link('OpenAPI 3.1 document', sitePaths.openApi, 'every operation, schema, header and problem.')}
${operations.join('\n')}
${link('Problems', sitePaths.problemsSource, 'every error code, its meaning and its fix.')}

## Guides

${guides.join('\n')}
`
}
