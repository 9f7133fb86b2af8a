import { hash } from 'node:crypto'

export interface SnippetFacts {
  token: string
  /** Has no trailing slash. */
  serviceUrl: string
  examplePath: string
  /** The workspace's. */
  slug: string
}

/** Clients join the server's name with that of a tool, and models accept 64 characters. */
const MAX_SLUG = 32

/**
 * A client's configuration may have the servers of several workspaces, so each has its own name. A long slug is cut, and ends
 * with a part of its hash, because one company's slugs often begin alike.
 */
export function serverName(slug: string): string {
  if (slug.length <= MAX_SLUG) return `vitrine-${slug}`
  const mark = hash('sha256', slug).slice(0, 8)
  return `vitrine-${slug.slice(0, MAX_SLUG - mark.length - 1)}-${mark}`
}

export const snippets = (facts: SnippetFacts) => [...agentSnippets(facts), ...scriptSnippets(facts)]

const json = (value: unknown): string => JSON.stringify(value, null, 2)

const snippet = (id: string, title: string, where: string, text: string) => ({ id, title, where, text })

export function agentSnippets({ token, serviceUrl, slug }: Omit<SnippetFacts, 'examplePath'>) {
  const name = serverName(slug)
  // Unlike /mcp, it works with every tested client (docs/mcp.md).
  const url = `${serviceUrl}/v2/mcp`
  const headers = { Authorization: `Bearer ${token}` }
  const claude = `claude mcp add --transport http ${name} ${url} \\\n  --header "Authorization: Bearer ${token}"`
  // Codex ignores `headers`; `http_headers` contains literal values.
  const codex = `[mcp_servers.${name}]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${token}" }`
  const vscode = json({ servers: { [name]: { type: 'http', url, headers } } })
  // The Gemini CLI uses `url` for server-sent events.
  const gemini = json({ mcpServers: { [name]: { httpUrl: url, headers } } })
  const copilot = json({ mcpServers: { [name]: { type: 'http', url, headers, tools: ['*'] } } })
  return [
    snippet('claude-code', 'Claude Code', 'In a terminal', claude),
    snippet('cursor', 'Cursor', 'In ~/.cursor/mcp.json', json({ mcpServers: { [name]: { url, headers } } })),
    snippet('vscode', 'VS Code', 'In .vscode/mcp.json, kept out of source control', vscode),
    snippet('codex', 'Codex', 'In ~/.codex/config.toml', codex),
    snippet('gemini-cli', 'Gemini CLI', 'In ~/.gemini/settings.json', gemini),
    snippet('copilot-cli', 'GitHub Copilot CLI', 'In ~/.copilot/mcp-config.json', copilot),
  ]
}

function scriptSnippets({ token, serviceUrl, examplePath }: SnippetFacts) {
  const url = serviceUrl + examplePath
  const curl = `curl ${url} \\\n  -H "Authorization: Bearer ${token}"`
  const typescript = `const response = await fetch('${url}', {
  headers: { Authorization: 'Bearer ${token}' },
})
if (!response.ok) throw new Error(await response.text())
console.log(await response.json())`
  const python = `import json
from urllib.request import Request, urlopen

request = Request(
    "${url}",
    headers={"Authorization": "Bearer ${token}"},
)
with urlopen(request) as response:
    print(json.load(response))`
  return [
    snippet('curl', 'curl', 'In a terminal', curl),
    snippet('typescript', 'TypeScript', 'Node.js 18 or newer, Deno or Bun; no package needed', typescript),
    snippet('python', 'Python', 'Python 3; no package needed', python),
  ]
}
