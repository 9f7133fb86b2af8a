import { isObject } from '../../../lib/checker.ts'
import type { Client } from '../client.ts'
import { type Check, checkFactory } from '../define.ts'
import { diagnoses } from '../diagnosis.ts'
import { expect, expectHeader, expectNoBody, expectProblem, expectStatus, summary } from '../expect.ts'
import { Skip } from '../outcome.ts'
import {
  expectResult,
  expectRpcError,
  notification,
  OLD,
  oldCall,
  parseObject,
  post,
  textOf,
  toolNames,
} from '../rpc.ts'

/** MCP 2025-03-26, which every MCP path speaks. */
export function mcpChecks(path: string): Check[] {
  const name = path.slice(1).replaceAll('/', '-')
  const check = checkFactory('mcp', { prefix: `mcp.${name}`, operations: [`POST ${path}`] })
  return [
    check('initialize', `${path}: initialize offers ${OLD}`, 'Every client begins with it.', async (client) => {
      const response = await client.send(oldCall(path, 'initialize', initializeParams))
      const result = expectResult(response, OLD)
      expect(result.protocolVersion === OLD, response, `the protocolVersion ${OLD}`, summary, diagnoses.unknown)
      const isServer =
        isObject(result.serverInfo) && isObject(result.capabilities) && isObject(result.capabilities.tools)
      expect(isServer, response, 'serverInfo and the capability tools', summary, diagnoses.unknown)
      const fault = client.contract.schemaFault('JsonRpcResponse', response.json)
      expect(fault === undefined, response, 'a JSON-RPC response', String(fault), diagnoses.bodyChanged)
      return undefined
    }),
    check(
      'notification',
      `${path}: a notification is a 202 without a body`,
      'Clients wait for it after initialize.',
      async (client) => {
        const response = await client.send(notification(path, 'notifications/initialized'))
        expectStatus(response, 202)
        expectNoBody(response)
        expectHeader(response, 'X-Service-Api-Version', OLD)
        return undefined
      },
    ),
    check(
      'tools',
      `${path}: tools/list shows the tools, and each can be called`,
      'It is what agents come for.',
      (client) => checkTools(client, path),
    ),
    check(
      'method',
      `${path}: everything but POST is refused as a problem`,
      'Clients probe with GET, and give up SSE on a 405.',
      async (client) => {
        for (const method of ['GET', 'OPTIONS', 'DELETE']) {
          const response = await client.send({ method, path })
          expectProblem(response, 405, 'method_not_allowed', { isMcp: true })
          expectHeader(response, 'Allow', 'POST')
        }
        return undefined
      },
    ),
    check(
      'unauthorized',
      `${path}: a request without a key is a 401 problem`,
      'Clients show it, and start no OAuth.',
      async (client) => {
        const response = await client.send({ ...oldCall(path, 'ping'), withKey: false })
        expectProblem(response, 401, 'unauthorized', { isMcp: true })
        expectHeader(response, 'WWW-Authenticate', 'Bearer realm="vitrine"')
        return undefined
      },
    ),
  ]
}

/** Answered by the same code on every path, so asked once. */
export const mcpErrorChecks = (path: string): Check[] => {
  const check = checkFactory('mcp', { operations: [`POST ${path}`] })
  return [
    check('ping', 'ping is answered', 'Clients keep their connection by it.', async (client) => {
      expectResult(await client.send(oldCall(path, 'ping')), OLD)
      return undefined
    }),
    check(
      'errors',
      'What is wrong in a call is a JSON-RPC error in a 200',
      'Models correct their calls by it.',
      async (client) => {
        expectRpcError(await client.send(oldCall(path, 'vitrine/no-such-method')), OLD, -32601)
        expectRpcError(await client.send(oldCall(path, 'tools/call', { name: 'no_such_tool' })), OLD, -32602)
        return undefined
      },
    ),
    check('bad-request', 'What is not JSON-RPC is a problem', 'Clients show its hint.', async (client) => {
      expectProblem(await client.send(post(path, '{"jsonrpc"')), 400, 'invalid_json', { isMcp: true })
      expectProblem(await client.send(post(path, '[]')), 400, 'invalid_jsonrpc_request', { isMcp: true })
      const typed = await client.send(post(path, 'x', { 'Content-Type': 'text/plain' }))
      expectProblem(typed, 400, 'unsupported_media_type', { isMcp: true })
      return undefined
    }),
    check(
      'version-header',
      'An unknown MCP-Protocol-Version is refused',
      'Clients negotiate by it; 2026 clients fall back on it.',
      async (client) => {
        const { body = '' } = oldCall(path, 'ping')
        const response = await client.send(post(path, body, { 'MCP-Protocol-Version': '2020-01-01' }))
        expectStatus(response, 400, response.status === 200 ? diagnoses.versionHeaderRemoved : undefined)
        expectProblem(response, 400, 'unsupported_protocol_version', { isMcp: true })
        return undefined
      },
    ),
  ]
}

/** Marks the key as seen in a browser, which alarms its managers: only on request. */
export const originCheck = (path: string): Check => ({
  id: 'mcp.origin',
  group: 'mcp',
  title: 'A request from a web page is refused',
  why: 'Keys are for servers; a page that could call the endpoint could use a key (DNS rebinding).',
  operations: [`POST ${path}`],
  async run(client) {
    if (!client.sendsOrigin)
      throw new Skip('it would be recorded with the key as a use in a browser; add --send-origin to check it')
    const { body = '' } = oldCall(path, 'ping')
    const response = await client.send(post(path, body, { Origin: 'https://vitrine-check.invalid' }))
    expectProblem(response, 403, 'origin_not_allowed', { isMcp: true })
    return undefined
  },
})

const initializeParams = {
  protocolVersion: OLD,
  capabilities: {},
  clientInfo: { name: 'vitrine-check', version: '1' },
}

/** Without arguments a tool has the text of its resource. The other paths are answered by the same code: one tool is enough there. */
async function checkTools(client: Client, path: string): Promise<string | undefined> {
  const response = await client.send(oldCall(path, 'tools/list'))
  const names = toolNames(expectResult(response, OLD))
  expect(names.length > 0, response, 'at least one tool', summary, diagnoses.unknown)
  const isFirst = path === client.contract.pathsWith('POST')[0]
  for (const name of isFirst ? names : names.slice(0, 1)) {
    const called = await client.send(oldCall(path, 'tools/call', { name, arguments: {} }))
    const result = expectResult(called, OLD)
    const text = textOf(result)
    expect(text !== undefined, called, 'one block of text', summary, diagnoses.bodyChanged)
    const fault = result.isError === true ? undefined : resourceFault(client, text)
    expect(
      fault === undefined,
      called,
      `the JSON of a resource as the text of ${name}`,
      String(fault),
      diagnoses.bodyChanged,
    )
  }
  return `tools of this key: ${names.join(', ')}`
}

/** By the schema of the resource that the text has as its one member. A newer server may have others. */
function resourceFault({ contract }: Client, text: string): string | undefined {
  const body = parseObject(text)
  if (body === undefined) return 'the text is no JSON object'
  const path = contract.pathsWith('GET').find((each) => Object.hasOwn(body, each.slice(1)))
  return path === undefined ? undefined : contract.bodyFault('GET', path, 200, 'application/json', body)
}
