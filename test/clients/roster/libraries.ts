import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { createMCPClient } from '@ai-sdk/mcp'
import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { experimental_createMCPClient } from 'ai-sdk-mcp-0'
import { createMCPClient as createMCPClient1 } from 'ai-sdk-mcp-1'
import { bearer, textOf } from '../fixture.ts'
import type { Client, Connection, Seen } from './client.ts'

const versionOf = (folder: string): string =>
  JSON.parse(readFileSync(findPackageJSON(folder, import.meta.url) ?? '', 'utf8')).version

/** What the two official clients have in common. */
interface Official {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>
  close(): Promise<void>
}

export async function seenBy(client: Official): Promise<Seen> {
  try {
    const { tools } = await client.listTools()
    const workspace = textOf(await client.callTool({ name: 'get_workspace' }))
    const tasks = textOf(await client.callTool({ name: 'list_tasks', arguments: { limit: 1 } }))
    return { tools: tools.map(({ name }) => name), workspace, tasks }
  } finally {
    await client.close()
  }
}

const official2 = (mode?: VersionNegotiationMode) =>
  async function use({ url, key }: Connection): Promise<Seen> {
    const client = new Client2(
      { name: 'test', version: '1.0.0' },
      mode === undefined ? {} : { versionNegotiation: { mode } },
    )
    await client.connect(new Transport2(new URL(url), { requestInit: { headers: bearer(key) } }))
    return seenBy(client)
  }

async function official1({ url, key }: Connection): Promise<Seen> {
  const client = new Client1({ name: 'test', version: '1.0.0' })
  await client.connect(new Transport1(new URL(url), { requestInit: { headers: bearer(key) } }) as Transport)
  return seenBy(client)
}

interface AiSdk {
  tools(): Promise<Record<string, { execute?: unknown }>>
  close(): Promise<void>
}

async function seenByAiSdk(creating: Promise<unknown>): Promise<Seen> {
  const client = (await creating) as AiSdk
  try {
    const tools = await client.tools()
    const execute = (name: string, args: object) =>
      (tools[name] as { execute(args: object, options: object): Promise<unknown> }).execute(args, {})
    const workspace = textOf(await execute('get_workspace', {}))
    const tasks = textOf(await execute('list_tasks', { limit: 1 }))
    return { tools: Object.keys(tools), workspace, tasks }
  } finally {
    await client.close()
  }
}

const transport = ({ url, key }: Connection) => ({ type: 'http', url, headers: bearer(key) }) as const
const onUncaughtError = () => {}

export const libraries: Client[] = [
  {
    name: '`@modelcontextprotocol/client`',
    version: versionOf('@modelcontextprotocol/client'),
    use: official2(),
  },
  {
    name: '`@modelcontextprotocol/client`, mode `auto`',
    version: versionOf('@modelcontextprotocol/client'),
    use: official2('auto'),
  },
  {
    name: '`@modelcontextprotocol/client`, pinned to 2026-07-28',
    version: versionOf('@modelcontextprotocol/client'),
    fails: { '/mcp': /2026-07-28/ },
    use: official2({ pin: '2026-07-28' }),
  },
  { name: '`@modelcontextprotocol/sdk`', version: versionOf('@modelcontextprotocol/sdk'), use: official1 },
  {
    name: '`@ai-sdk/mcp` 2',
    version: versionOf('@ai-sdk/mcp'),
    use: (connection) => seenByAiSdk(createMCPClient({ transport: transport(connection), onUncaughtError })),
  },
  {
    name: '`@ai-sdk/mcp` 1',
    version: versionOf('ai-sdk-mcp-1'),
    use: (connection) => seenByAiSdk(createMCPClient1({ transport: transport(connection), onUncaughtError })),
  },
  {
    name: '`@ai-sdk/mcp` 0',
    version: versionOf('ai-sdk-mcp-0'),
    // It keeps sending 2025-06-18 in the header after 2025-03-26 was negotiated.
    fails: { '/mcp': /unsupported_protocol_version/, '/v2/mcp': /unsupported_protocol_version/ },
    use: (connection) =>
      seenByAiSdk(experimental_createMCPClient({ transport: transport(connection), onUncaughtError })),
  },
]
