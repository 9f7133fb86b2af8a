import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { snippets } from '../../../src/web/keys/create/snippets.ts'
import { bearer } from '../fixture.ts'
import type { Client, Connection, Seen } from './client.ts'
import { inPrograms, installed, run } from './installed.ts'
import { withScriptedModel } from './scripted-model.ts'

/** What the settings page offers for pasting, with the URL that is under test. */
export function pasted(id: string, { url, key }: Connection): string {
  const { origin } = new URL(url)
  const offered = snippets({ token: key, serviceUrl: origin, examplePath: '/tasks', slug: 'acme' }).find(
    (one) => one.id === id,
  )
  if (offered === undefined) throw new Error(`the settings page offers nothing for ${id}`)
  return offered.text.replaceAll(/http:[^" ]*\/mcp/g, url)
}

export function write({ folder }: Connection, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

export const node = (...args: [string, ...string[]]): [string, ...string[]] => [process.execPath, ...args]

export const claude = inPrograms('@anthropic-ai/claude-code/cli-wrapper.cjs')
const copilot = inPrograms('@github/copilot/npm-loader.js')
const gemini = inPrograms('@google/gemini-cli/bundle/gemini.js')
export const inspector = inPrograms('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

const inspect = (era?: string) =>
  async function use(connection: Connection): Promise<Seen> {
    const ask = async (...args: string[]) => {
      const target = ['--cli', connection.url, '--transport', 'http', '--stored-auth-only']
      const headers = Object.entries(bearer(connection.key)).map(([name, value]) => `${name}: ${value}`)
      const eras = era === undefined ? [] : ['--protocol-era', era]
      const { code, stdout, output } = await run(
        connection,
        node(inspector, ...target, ...eras, '--header', ...headers, '--method', ...args),
      )
      if (code !== 0) throw new Error(output)
      return JSON.parse(stdout)
    }
    const { tools } = await ask('tools/list')
    const workspace = await ask('tools/call', '--tool-name', 'get_workspace')
    const tasks = await ask('tools/call', '--tool-name', 'list_tasks', '--tool-arg', 'limit=1')
    return {
      tools: tools.map(({ name }: { name: string }) => name),
      workspace: workspace.content[0].text,
      tasks: tasks.content[0].text,
    }
  }

export const agents: Client[] = [
  { name: 'MCP Inspector, command line', ...installed('@modelcontextprotocol/inspector'), use: inspect() },
  {
    name: 'MCP Inspector, `--protocol-era auto`',
    ...installed('@modelcontextprotocol/inspector'),
    use: inspect('auto'),
  },
  {
    name: 'Claude Code',
    ...installed('@anthropic-ai/claude-code'),
    async use(connection) {
      await addToClaude(connection)
      const allowed = ['--allowedTools', 'mcp__vitrine-acme__get_workspace,mcp__vitrine-acme__list_tasks']
      return withScriptedModel((model) =>
        run(connection, node(claude, '-p', 'Go.', ...allowed), {
          ANTHROPIC_BASE_URL: model,
          ANTHROPIC_API_KEY: 'none',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          // Otherwise, the model would have to ask for the tools' definitions first.
          ENABLE_TOOL_SEARCH: 'false',
        }),
      )
    },
    async connect(connection) {
      await addToClaude(connection)
      assertConnected(await run(connection, node(claude, 'mcp', 'list')))
    },
  },
  {
    name: 'GitHub Copilot CLI',
    ...installed('@github/copilot'),
    async use(connection) {
      write(connection, '.copilot/mcp-config.json', pasted('copilot-cli', connection))
      return withScriptedModel((model) =>
        run(connection, node(copilot, '-p', 'Go.', '--allow-all-tools'), {
          COPILOT_OFFLINE: 'true',
          COPILOT_PROVIDER_TYPE: 'openai',
          COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
          COPILOT_PROVIDER_API_KEY: 'none',
          COPILOT_MODEL: 'scripted',
        }),
      )
    },
  },
  {
    name: 'Gemini CLI',
    ...installed('@google/gemini-cli'),
    async use(connection) {
      addToGemini(connection)
      return withScriptedModel((model) =>
        run(connection, node(gemini, '-p', 'Go.', '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'), {
          GEMINI_API_KEY: 'none',
          GOOGLE_GEMINI_BASE_URL: model,
        }),
      )
    },
    async connect(connection) {
      addToGemini(connection)
      assertConnected(await run(connection, node(gemini, 'mcp', 'list')))
    },
  },
]

/** As someone would paste it. */
async function addToClaude(connection: Connection): Promise<void> {
  const command = pasted('claude-code', connection).replace(/^claude /, `"${process.execPath}" "${claude}" `)
  const { code, output } = await run(connection, ['sh', '-c', command])
  if (code !== 0) throw new Error(output)
}

function addToGemini(connection: Connection): void {
  const { mcpServers } = JSON.parse(pasted('gemini-cli', connection))
  const security = { folderTrust: { enabled: false }, auth: { selectedType: 'gemini-api-key' } }
  write(connection, '.gemini/settings.json', JSON.stringify({ mcpServers, security }))
}

export function assertConnected({ output }: { output: string }): void {
  if (!/vitrine-acme: .* Connected/.test(output)) throw new Error(output)
}
