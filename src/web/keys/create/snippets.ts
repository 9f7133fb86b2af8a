/** Requests and configurations that hold the key and the address, ready to paste. */
interface Snippet {
  /** For ids in the page. */
  id: string
  title: string
  /** Where to paste it. */
  where: string
  text: string
}

export interface SnippetFacts {
  token: string
  /** Without a slash at the end. */
  serviceUrl: string
  /** Of a resource that the key may read. */
  examplePath: string
}

export function snippets(facts: SnippetFacts): Snippet[] {
  return [...agentSnippets(facts), ...scriptSnippets(facts)]
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

export function agentSnippets({ token, serviceUrl }: Omit<SnippetFacts, 'examplePath'>): Snippet[] {
  // Works with every client that is tested, of both protocol versions; /mcp does not (docs/mcp.md).
  const url = `${serviceUrl}/v2/mcp`
  const headers = { Authorization: `Bearer ${token}` }
  return [
    {
      id: 'claude-code',
      title: 'Claude Code',
      where: 'In a terminal',
      text: `claude mcp add --transport http vitrine ${url} \\\n  --header "Authorization: Bearer ${token}"`,
    },
    {
      id: 'cursor',
      title: 'Cursor',
      where: 'In ~/.cursor/mcp.json',
      text: json({ mcpServers: { vitrine: { url, headers } } }),
    },
    {
      id: 'vscode',
      title: 'VS Code',
      where: 'In .vscode/mcp.json, kept out of source control',
      text: json({ servers: { vitrine: { type: 'http', url, headers } } }),
    },
    {
      // `headers` is ignored there; `http_headers` holds literal ones.
      id: 'codex',
      title: 'Codex',
      where: 'In ~/.codex/config.toml',
      text: `[mcp_servers.vitrine]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${token}" }`,
    },
    {
      // `url` would mean server-sent events there.
      id: 'gemini-cli',
      title: 'Gemini CLI',
      where: 'In ~/.gemini/settings.json',
      text: json({ mcpServers: { vitrine: { httpUrl: url, headers } } }),
    },
    {
      id: 'copilot-cli',
      title: 'GitHub Copilot CLI',
      where: 'In ~/.copilot/mcp-config.json',
      text: json({ mcpServers: { vitrine: { type: 'http', url, headers, tools: ['*'] } } }),
    },
  ]
}

function scriptSnippets({ token, serviceUrl, examplePath }: SnippetFacts): Snippet[] {
  const url = serviceUrl + examplePath
  return [
    {
      id: 'curl',
      title: 'curl',
      where: 'In a terminal',
      text: `curl ${url} \\\n  -H "Authorization: Bearer ${token}"`,
    },
    {
      id: 'typescript',
      title: 'TypeScript',
      where: 'Node.js 18 or newer, Deno or Bun; no package needed',
      text: `const response = await fetch('${url}', {
  headers: { Authorization: 'Bearer ${token}' },
})
if (!response.ok) throw new Error(await response.text())
console.log(await response.json())`,
    },
    {
      id: 'python',
      title: 'Python',
      where: 'Python 3; no package needed',
      text: `import json
from urllib.request import Request, urlopen

request = Request(
    "${url}",
    headers={"Authorization": "Bearer ${token}"},
)
with urlopen(request) as response:
    print(json.load(response))`,
    },
  ]
}
