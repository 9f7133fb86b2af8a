import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
  UnauthorizedError as UnauthorizedError2,
} from '@modelcontextprotocol/client'
import { UnauthorizedError as UnauthorizedError1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { MemoryProvider } from './memory-provider.ts'

interface Opened {
  connect(): Promise<unknown>
  /** Passes it what the browser returned. */
  finish(callback: URLSearchParams): Promise<void>
  callTool(name: string): Promise<unknown>
}

export interface Library {
  title: string
  /** Thrown when a person has to sign in. */
  unauthorized: new (
    message?: string,
  ) => Error
  /** Whether it asks for a stream in the background once it is connected. */
  wantsStream: boolean
  open(t: TestContext, url: string, provider: MemoryProvider, fetch?: typeof globalThis.fetch): Opened
}

/** The libraries that most clients are built on, with their own OAuth. */
export const libraries: Library[] = [
  {
    title: '@modelcontextprotocol/sdk 1.x',
    unauthorized: UnauthorizedError1,
    wantsStream: true,
    open(t, url, provider, fetch = globalThis.fetch) {
      const transport = new Transport1(new URL(url), { authProvider: provider, fetch })
      const client = new Client1({ name: 'test', version: '1.0.0' })
      t.after(() => client.close())
      return {
        connect: () => client.connect(transport as Transport),
        finish: (callback) => transport.finishAuth(callback.get('code') ?? ''),
        callTool: (name) => client.callTool({ name }),
      }
    },
  },
  ...(['legacy', 'auto'] as const).map((mode) => ({
    title: `@modelcontextprotocol/client 2.x, ${mode}`,
    unauthorized: UnauthorizedError2,
    wantsStream: mode === 'legacy',
    open(t: TestContext, url: string, provider: MemoryProvider, fetch = globalThis.fetch): Opened {
      const transport = new Transport2(new URL(url), { authProvider: provider, fetch })
      const client = new Client2({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
      t.after(() => client.close())
      return {
        connect: () => client.connect(transport),
        // It checks `iss` itself.
        finish: (callback) => transport.finishAuth(callback),
        callTool: (name) => client.callTool({ name }),
      }
    },
  })),
]

/** Connects up to the person's part; returns where they are redirected. */
export async function authorizationUrl(
  t: TestContext,
  { open, unauthorized }: Library,
  url: string,
  provider: MemoryProvider,
): Promise<{ opened: Opened; authorization: URL }> {
  const opened = open(t, url, provider)
  await assert.rejects(opened.connect(), unauthorized)
  const authorization = provider.redirected.at(-1)
  assert.ok(authorization)
  return { opened, authorization }
}
