import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { snippets } from '../../../src/web/keys/create/snippets.ts'

const facts = { token: 'vtr_KEY', serviceUrl: 'https://v.example', examplePath: '/tasks' }
const text = (id: string) => snippets(facts).find((snippet) => snippet.id === id)?.text

test('there is one for each client, agents first', () => {
  assert.deepEqual(
    snippets(facts).map(({ title }) => title),
    ['Claude Code', 'Cursor', 'VS Code', 'Codex', 'Gemini CLI', 'GitHub Copilot CLI', 'curl', 'TypeScript', 'Python'],
  )
})

test('Claude Code', () =>
  assert.equal(
    text('claude-code'),
    'claude mcp add --transport http vitrine https://v.example/v2/mcp \\\n  --header "Authorization: Bearer vtr_KEY"',
  ))

test('Cursor', () =>
  assert.deepEqual(JSON.parse(text('cursor') ?? ''), {
    mcpServers: { vitrine: { url: 'https://v.example/v2/mcp', headers: { Authorization: 'Bearer vtr_KEY' } } },
  }))

test('VS Code', () =>
  assert.deepEqual(JSON.parse(text('vscode') ?? ''), {
    servers: {
      vitrine: { type: 'http', url: 'https://v.example/v2/mcp', headers: { Authorization: 'Bearer vtr_KEY' } },
    },
  }))

test('Codex', () =>
  assert.equal(
    text('codex'),
    '[mcp_servers.vitrine]\nurl = "https://v.example/v2/mcp"\nhttp_headers = { Authorization = "Bearer vtr_KEY" }',
  ))

test('Gemini CLI', () =>
  assert.deepEqual(JSON.parse(text('gemini-cli') ?? ''), {
    mcpServers: { vitrine: { httpUrl: 'https://v.example/v2/mcp', headers: { Authorization: 'Bearer vtr_KEY' } } },
  }))

test('curl', () => assert.equal(text('curl'), 'curl https://v.example/tasks \\\n  -H "Authorization: Bearer vtr_KEY"'))

test('TypeScript', () =>
  assert.equal(
    text('typescript'),
    `const response = await fetch('https://v.example/tasks', {
  headers: { Authorization: 'Bearer vtr_KEY' },
})
if (!response.ok) throw new Error(await response.text())
console.log(await response.json())`,
  ))

test('Python', () =>
  assert.equal(
    text('python'),
    `import json
from urllib.request import Request, urlopen

request = Request(
    "https://v.example/tasks",
    headers={"Authorization": "Bearer vtr_KEY"},
)
with urlopen(request) as response:
    print(json.load(response))`,
  ))

test('the shell reads the curl snippet as three arguments', () => {
  const script = `curl() { printf '%s\\n' "$@"; }\n${text('curl')}`
  assert.equal(
    execFileSync('sh', ['-c', script]).toString(),
    'https://v.example/tasks\n-H\nAuthorization: Bearer vtr_KEY\n',
  )
})
