import { html } from '../../lib/html.ts'
import { catalogue, type ProblemCode, problemCodes } from '../../problems/catalogue.ts'
import { paths, sitePaths } from '../paths.ts'
import type { Frame } from './frame.ts'
import { table } from './markdown.ts'

/** A problem's `type` leads here. */
export function problemPage(frame: Frame, code: ProblemCode, hasSettings: boolean): string {
  const { status, title, meaning, hint } = catalogue[code]
  const fixes = fixesOf(code, hasSettings).map(([href, text]) => html`<li><a href="${href}">${text}</a></li>`)
  const body = html`<article class="article"><p class="crumbs"><a href="${sitePaths.problems}">Problems</a></p>
<h1>${title}</h1>
<p class="lead"><code>${status} ${code}</code></p>
<h2>What happened</h2>
<p>${meaning}</p>
<h2>What to do</h2>
<p>${hint}</p>
<h2>Where to go from here</h2>
<ul>${fixes}</ul></article>`
  return frame({ title: code, part: 'problems', body })
}

export function problemsPage(frame: Frame): string {
  const rows = problemCodes.map((code) => {
    const { status, title } = catalogue[code]
    return [status, html`<a href="${sitePaths.problem(code)}"><code>${code}</code></a>`, title]
  })
  const body = html`<div class="article"><h1>Problems</h1>
<p class="lead">Every error has one of these codes. Codes are never renamed or removed.</p>
<p>An error is an RFC 9457 problem. On <code>/v2/mcp</code>, protocol errors of MCP 2026-07-28 are JSON-RPC errors instead, with the members of the problem in <code>error.data</code>.</p>
${table(['status', 'code', 'what happened'], rows)}</div>`
  return frame({ title: 'Problems', part: 'problems', body })
}

type Fix = readonly [href: string, text: string]

const guide = (name: string, section: string, text: string): Fix => [`${sitePaths.guide(name)}#${section}`, text]
const settings = (text: string): Fix => [paths.home, text]

const reference: Fix = [sitePaths.api, 'API reference: the operations that exist']
const mcpErrors = guide('mcp', 'errors', 'MCP: errors')
const mcpClient = guide('mcp', 'configure-a-client', 'MCP: configure a client')
const mcpTools = guide('mcp', 'tools', 'MCP: tools and their arguments')
const keysOnCommandLine = guide('keys', 'changing-and-ending-a-key', 'Keys on the command line')
const createdKeys = guide('settings', 'creating-a-key', 'The settings page: creating a key')
const keyList = settings('Settings: API keys, where keys are created and their state is shown')
const permissions = settings('Settings: a key’s permissions, under API keys')
const rateLimit = settings('Settings: a key’s rate limit, under API keys')
const leakedKey = settings('Settings: revoke a key that leaked')
const quota = guide('rest', 'quota', 'REST: the quota and its headers')
const origins = guide('operating', 'settings', 'Running Vitrine: ALLOWED_ORIGINS')
const archive = guide('operating', 'workspaces', 'Running Vitrine: archive and restore a workspace')
const logs = guide('health', 'health', 'Health and logs')
const bounds = guide('reliability', 'bounds', 'Reliability: what is bounded')

/** For problems that cannot be fixed in the request itself. */
const fixes: { [Code in ProblemCode]?: Fix[] } = {
  unsupported_protocol_version: [mcpClient, mcpErrors],
  invalid_request_metadata: [mcpErrors, mcpClient],
  header_mismatch: [mcpErrors, mcpClient],
  payload_too_large: [bounds],
  unauthorized: [keyList, createdKeys, keysOnCommandLine],
  forbidden: [permissions, keysOnCommandLine],
  origin_not_allowed: [origins, leakedKey],
  workspace_not_found: [archive],
  tool_not_found: [permissions, mcpTools],
  request_timeout: [bounds],
  headers_too_large: [bounds],
  rate_limited: [quota, rateLimit, keysOnCommandLine],
  internal_error: [logs],
  not_ready: [logs],
  overloaded: [bounds, logs],
}

const fixesOf = (code: ProblemCode, hasSettings: boolean): Fix[] =>
  (fixes[code] ?? [reference, mcpTools, mcpErrors]).filter(([href]) => hasSettings || href !== paths.home)
