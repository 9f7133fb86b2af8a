import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { snippets } from '../../../src/web/pages/snippets.ts'
import { bearer } from '../fixture.ts'
import type { Client, Connection, Seen } from './client.ts'
import { inPrograms, installed, run } from './installed.ts'

/** What the settings page offers for pasting, with the URL that is under test. */
export function pasted(id: string, { url, key }: Connection): string {
  const { origin } = new URL(url)
  const offered = snippets({ token: key, serviceUrl: origin, examplePath: '/tasks' }).find((one) => one.id === id)
  if (offered === undefined) throw new Error(`the settings page offers nothing for ${id}`)
  return offered.text.replaceAll(/http:[^" ]*\/mcp/g, url)
}

export function write({ folder }: Connection, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** The words of a listing of servers, if ours is not connected. */
function connected(output: string, words: RegExp): Seen {
  if (!words.test(output)) throw new Error(output)
  return {}
}

const node = (...args: [string, ...string[]]): [string, ...string[]] => [process.execPath, ...args]

const claude = inPrograms('@anthropic-ai/claude-code/cli-wrapper.cjs')
const inspector = inPrograms('@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const openCode = inPrograms(`opencode-${process.platform}-${process.arch}/bin/opencode`)

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
      const command = pasted('claude-code', connection).replace(/^claude /, `"${process.execPath}" "${claude}" `)
      const added = await run(connection, ['sh', '-c', command])
      if (added.code !== 0) throw new Error(added.output)
      const { output } = await run(connection, node(claude, 'mcp', 'list'))
      return connected(output, /vitrine: .* Connected/)
    },
  },
  {
    name: 'Gemini CLI',
    ...installed('@google/gemini-cli'),
    async use(connection) {
      const settings = {
        ...JSON.parse(pasted('gemini-cli', connection)),
        security: { folderTrust: { enabled: false } },
      }
      write(connection, '.gemini/settings.json', JSON.stringify(settings))
      const { output } = await run(connection, node(inPrograms('@google/gemini-cli/bundle/gemini.js'), 'mcp', 'list'))
      return connected(output, /vitrine: .* Connected/)
    },
  },
  {
    name: 'Qwen Code',
    ...installed('@qwen-code/qwen-code'),
    async use(connection) {
      write(connection, '.qwen/settings.json', pasted('gemini-cli', connection))
      const { output } = await run(connection, node(inPrograms('@qwen-code/qwen-code/cli.js'), 'mcp', 'list'))
      return connected(output, /vitrine: .* Connected/)
    },
  },
  {
    name: 'opencode',
    ...installed('opencode-ai'),
    async use(connection) {
      const { url, key } = connection
      const vitrine = { type: 'remote', url, headers: bearer(key) }
      const { output } = await run(connection, [openCode, 'mcp', 'list'], {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: { vitrine } }),
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        npm_config_offline: 'true',
      })
      return connected(output, /vitrine.*\bconnected/)
    },
  },
]
