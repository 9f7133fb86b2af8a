import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Client } from './client.ts'
import { inPrograms, installed } from './installed.ts'
import { seenBy } from './libraries.ts'

/** A bridge for clients that only use standard input and output. */
export const mcpRemote: Client[] = [
  {
    name: '`mcp-remote`, for stdio clients',
    ...installed('mcp-remote'),
    async use({ url, key, folder }) {
      const args = [inPrograms('mcp-remote/dist/proxy.js'), url, '--transport', 'http-only', '--allow-http']
      const transport = new StdioClientTransport({
        command: process.execPath,
        // Without a space, as its documentation advises: some clients break arguments at spaces.
        args: [...args, '--header', 'Authorization:$' + '{VITRINE}'],
        env: { PATH: process.env.PATH ?? '', HOME: folder, VITRINE: `Bearer ${key}` },
        cwd: folder,
        stderr: 'pipe',
      })
      let words = ''
      transport.stderr?.on('data', (chunk) => {
        words += chunk
      })
      const client = new Client1({ name: 'test', version: '1.0.0' })
      try {
        await client.connect(transport)
        return await seenBy(client)
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${words}`)
      } finally {
        await client.close()
      }
    },
  },
]
