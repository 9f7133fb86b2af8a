import assert from 'node:assert/strict'
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { gather, waitUntil } from '../../support/wait.ts'
import { assertConnected, claude, inspector, node, write } from '../roster/agents.ts'
import type { Connection, Seen } from '../roster/client.ts'
import { codexProgram, useCodex } from '../roster/codex.ts'
import { inPrograms, installed, run, start } from '../roster/installed.ts'
import { seenBy } from '../roster/libraries.ts'

type Consent = (authorizationUrl: string) => Promise<void>

interface SigningProgram {
  name: string
  version: string
  /** What is missing to run it here. */
  missing?: string | undefined
  /** The URL that is its client id; undefined if it registers itself. */
  documentUrl?: string
  /** Connects to the URL without a key; `consent` is the person's part. Returns what it could then read. */
  signIn(connection: Connection, consent: Consent): Promise<Seen>
}

/** As in the workspace's snippets, which the roster's functions expect. */
const SERVER = 'vitrine-acme'
const hasTerminal = spawnSync('script', ['--version']).status === 0
const AUTHORIZATION = /https?:\/\/[\w.:-]+\/oauth\/authorize\?[\w%&=.~+*-]+(?=[^\w%&=.~+*-])/

/** A PATH without a browser to open. */
function withoutBrowser(connection: Connection): Record<string, string> {
  for (const name of ['xdg-open', 'gio', 'x-www-browser', 'www-browser']) {
    write(connection, `bin/${name}`, '#!/bin/sh\n')
    chmodSync(join(connection.folder, 'bin', name), 0o755)
  }
  return { PATH: `${join(connection.folder, 'bin')}:${process.env.PATH}` }
}

/** Waits for the URL that a program prints, lets the person decide, and waits for the program to exit. */
async function throughPerson(child: ChildProcess, consent: Consent): Promise<string> {
  const output = gather(child.stdout, child.stderr)
  const ended = once(child, 'close')
  await waitUntil(() => AUTHORIZATION.test(output()) || child.exitCode !== null)
  const [url] = AUTHORIZATION.exec(output()) ?? assert.fail(output())
  await consent(url)
  const [code] = await ended
  assert.equal(code, 0, stripVTControlCharacters(output()))
  return stripVTControlCharacters(output())
}

async function signInToCodex(connection: Connection, consent: Consent, ...args: string[]): Promise<Seen> {
  const child = start(connection, node(codexProgram, 'mcp', ...args), withoutBrowser(connection))
  assert.match(await throughPerson(child, consent), /Successfully logged in/)
  return useCodex(connection)
}

export const signingPrograms: SigningProgram[] = [
  {
    name: '`mcp-remote`',
    ...installed('mcp-remote'),
    async signIn(connection, consent) {
      const { url, folder } = connection
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [inPrograms('mcp-remote/dist/proxy.js'), url, '--allow-http'],
        env: { HOME: folder, ...withoutBrowser(connection) },
        cwd: folder,
        stderr: 'pipe',
      })
      let words = ''
      transport.stderr?.on('data', (chunk) => {
        words += chunk
      })
      const client = new Client({ name: 'test', version: '1.0.0' })
      try {
        const connected = client.connect(transport)
        await waitUntil(() => /Waiting for authorization/.test(words))
        await consent(AUTHORIZATION.exec(words)?.[0] ?? assert.fail(words))
        await connected
        return await seenBy(client)
      } finally {
        await client.close()
      }
    },
  },
  {
    name: 'MCP Inspector, command line',
    ...installed('@modelcontextprotocol/inspector'),
    async signIn(connection, consent) {
      const target = ['--cli', connection.url, '--transport', 'http', '--method', 'tools/list']
      const env = { ...withoutBrowser(connection), MCP_AUTO_OPEN_ENABLED: 'true' }
      const child = start(connection, node(inspector, ...target), env)
      child.stdin?.end()
      const output = await throughPerson(child, consent)
      const { tools } = JSON.parse(/^\{\s*"tools".*^\}/ms.exec(output)?.[0] ?? output)
      return { tools: tools.map(({ name }: { name: string }) => name) }
    },
  },
  {
    name: 'Codex, registering itself',
    ...installed('@openai/codex'),
    async signIn(connection, consent) {
      write(connection, '.codex/config.toml', `[mcp_servers.${SERVER}]\nurl = "${connection.url}"\n`)
      return signInToCodex(connection, consent, 'login', SERVER, '--no-browser', '--oauth-client-registration', 'dcr')
    },
  },
  {
    name: 'Codex, by its metadata document',
    ...installed('@openai/codex'),
    documentUrl: 'https://chatgpt.com/oauth/codex/client.json',
    signIn: (connection, consent) => signInToCodex(connection, consent, 'add', SERVER, '--url', connection.url),
  },
  {
    name: 'Claude Code, by its metadata document',
    ...installed('@anthropic-ai/claude-code'),
    ...(!hasTerminal && { missing: 'no `script`, which gives it a terminal' }),
    documentUrl: 'https://claude.ai/oauth/claude-code-client-metadata',
    async signIn(connection, consent) {
      const env = withoutBrowser(connection)
      const added = await run(connection, node(claude, 'mcp', 'add', '--transport', 'http', SERVER, connection.url))
      assert.equal(added.code, 0, added.output)
      // It signs in only on a terminal.
      const command = [process.execPath, claude, 'mcp', 'login', SERVER].map((word) => `'${word}'`).join(' ')
      await throughPerson(start(connection, ['script', '-qfec', command, '/dev/null'], env), consent)
      assertConnected(await run(connection, node(claude, 'mcp', 'list')))
      return {}
    },
  },
]
