import { isObject } from '../../../lib/checker.ts'
import type { Client } from '../client.ts'
import { type Check, checkFactory } from '../define.ts'
import { diagnoses } from '../diagnosis.ts'
import { expect, expectNoBody, expectStatus, summary } from '../expect.ts'
import type { HttpResponse } from '../response.ts'
import { expectModernError, expectResult, MODERN, modernCall, OLD, parseObject, textOf, toolNames } from '../rpc.ts'

/** MCP 2026-07-28, on the newest path. */
export function modernMcpChecks(path: string): Check[] {
  const check = checkFactory('mcp-2026', { operations: [`POST ${path}`] })
  return [
    check(
      'discover',
      `server/discover names ${MODERN} and ${OLD}`,
      'Clients of 2026 begin with it.',
      async (client) => {
        const response = await client.send(modernCall(path, 'server/discover'))
        const result = expectModernResult(client, response)
        const versions = Array.isArray(result.supportedVersions) ? result.supportedVersions : []
        const speaksBoth = versions.includes(MODERN) && versions.includes(OLD)
        expect(speaksBoth, response, `supportedVersions with ${MODERN} and ${OLD}`, summary, diagnoses.unknown)
        return undefined
      },
    ),
    check(
      'tools',
      'tools/list and tools/call answer with structured content',
      'Agents read it instead of text.',
      async (client) => {
        const listed = await client.send(modernCall(path, 'tools/list'))
        for (const name of toolNames(expectModernResult(client, listed))) {
          const response = await client.send(modernCall(path, 'tools/call', { name, arguments: {} }))
          const result = expectModernResult(client, response)
          // Such as of a workspace that is archived.
          if (result.isError === true) continue
          const { structuredContent: content } = result
          const isSame =
            isObject(content) && JSON.stringify(content) === JSON.stringify(parseObject(textOf(result) ?? ''))
          expect(isSame, response, 'structuredContent, the same as the text', summary, diagnoses.bodyChanged)
        }
        return undefined
      },
    ),
    check(
      'headers',
      'Headers that differ from the body are refused',
      'Whatever routes by headers must not be fooled.',
      async (client) => {
        const request = modernCall(path, 'tools/list')
        const other = { ...request, headers: { ...request.headers, 'Mcp-Method': 'tools/call' } }
        expectModernError(await client.send(other), 400, -32020)
        return undefined
      },
    ),
    check(
      'errors',
      'An unknown method is a 404 with a JSON-RPC error',
      'Clients tell a modern server by it.',
      async (client) => {
        expectModernError(await client.send(modernCall(path, 'vitrine/no-such-method')), 404, -32601)
        return undefined
      },
    ),
    check('notification', 'A notification is a 202 without a body', 'Clients wait for it.', async (client) => {
      const { body = '', ...request } = modernCall(path, 'notifications/cancelled')
      const { id: _, ...message } = JSON.parse(body)
      const response = await client.send({ ...request, body: JSON.stringify(message) })
      expectStatus(response, 202)
      expectNoBody(response)
      return undefined
    }),
  ]
}

function expectModernResult(client: Client, response: HttpResponse): Record<string, unknown> {
  const result = expectResult(response, MODERN)
  const fault = client.contract.schemaFault('McpResult', response.json)
  expect(fault === undefined, response, `a result of MCP ${MODERN}`, String(fault), diagnoses.bodyChanged)
  return result
}
