import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../lib/checker.ts'
import { numberAsWritten, parseJson } from '../../../lib/json-text.ts'
import { type Check, checksAt, checksOf, probe } from '../check.ts'
import type { CheckClient } from '../client.ts'
import { diagnoses } from '../diagnosis.ts'
import { expect, expectFits, expectResponse, Skip } from '../expect.ts'
import type { CheckedResponse } from '../http.ts'
import { expectError, expectResult, MODERN, modernCall, OLD, oldCall, post } from '../rpc.ts'

/** Every MCP path supports MCP 2025-03-26. */
export function mcpChecks(path: string): Check[] {
  const refused = { status: 405, code: 'method_not_allowed', headers: { Allow: 'POST' } }
  const accepted = { status: 202, hasNoBody: true, headers: { 'X-Service-Api-Version': OLD } }
  // The check of the OAuth metadata examines the rest.
  const challenge = /^Bearer realm="vitrine"(, resource_metadata="[^"]+", scope="[^"]+")?$/
  const challenged = { status: 401, code: 'unauthorized', headers: { 'WWW-Authenticate': challenge } }
  return checksAt(path, 'mcp.{path}', {
    initialize: async (client) => {
      const clientInfo = { name: 'vitrine-check', version: '1' }
      const params = { protocolVersion: OLD, capabilities: {}, clientInfo }
      const response = await client.send(oldCall(path, 'initialize', params))
      const { protocolVersion, serverInfo, capabilities } = expectResult(response, OLD)
      const isServer =
        protocolVersion === OLD && isObject(serverInfo) && isObject(capabilities) && isObject(capabilities.tools)
      const expected = `the protocolVersion ${OLD}, serverInfo and the capability tools`
      expect(isServer, response, expected, diagnoses.unknown)
      expectFits(response, client.contract.schemaError('JsonRpcResponse', response.json), 'a response')
    },
    notification: probe({ ...oldCall(path, 'notifications/initialized'), expect: accepted }),
    tools: (client) => checkTools(client, path),
    method: probe(...['GET', 'OPTIONS', 'DELETE'].map((method) => ({ method, path, expect: refused }))),
    unauthorized: probe({ ...oldCall(path, 'ping'), withKey: false, expect: challenged }),
  })
}

/** The same code serves the other paths, so one tool is enough there. */
async function checkTools(client: CheckClient, path: string): Promise<string> {
  const response = await client.sendOnce(oldCall(path, 'tools/list'))
  const names = toolNames(expectResult(response, OLD))
  expect(names.length > 0, response, 'at least one tool', diagnoses.unknown)
  const isFirst = path === client.contract.pathsWith('POST')[0]
  for (const name of isFirst ? names : names.slice(0, 1)) {
    const called = await client.sendOnce(toolCall(path, name))
    const result = expectResult(called, OLD)
    const text = textOf(result)
    expect(text !== undefined, called, 'one block of text')
    if (result.isError !== true) expectFits(called, resourceError(client, text), `a text of ${name}`)
  }
  return `tools of this key: ${names.join(', ')}`
}

const toolCall = (path: string, name: string) => oldCall(path, 'tools/call', { name, arguments: {} })

function resourceError(client: CheckClient, text: string): string | undefined {
  const body = parseJson(text)
  if (!isObject(body)) return 'the text is not a JSON object'
  const path = resourceOf(client, body)
  return path && client.contract.bodyError('GET', path, 200, 'application/json', body)
}

/** A newer server may have other resources. */
const resourceOf = ({ contract }: CheckClient, body: unknown): string | undefined =>
  contract.pathsWith('GET').find((each) => isObject(body) && Object.hasOwn(body, each.slice(1)))

async function checkAgreement(client: CheckClient, path: string): Promise<undefined> {
  let compared = 0
  for (const name of toolNames(expectResult(await client.sendOnce(oldCall(path, 'tools/list')), OLD))) {
    const called = await client.sendOnce(toolCall(path, name))
    const resource = resourceOf(client, contentOf(called))
    if (resource === undefined) continue
    const before = await client.read(resource)
    // Other checks report a body that does not fit.
    if (client.contract.bodyError('GET', resource, 200, 'application/json', before.json) !== undefined) continue
    compared++
    if (isDeepStrictEqual(before.json, contentOf(called))) continue
    // The data may have changed in between, so the tool is called between two equal responses.
    const again = await client.send(toolCall(path, name))
    const after = await client.send({ method: 'GET', path: resource, withKey: true })
    if (isDeepStrictEqual(after.json, contentOf(again))) continue
    const isSteady = isDeepStrictEqual(before.json, after.json)
    expect(!isSteady, again, `${name} with the data of GET ${resource}`, diagnoses.dataDiffers)
    throw new Skip(`the data of ${resource} changes too often to compare`)
  }
  if (compared === 0) throw new Skip('this key can read nothing both ways')
}

const contentOf = (called: CheckedResponse): unknown => parseJson(textOf(expectResult(called, OLD)) ?? '')

const badRequest = (code: string) => ({ status: 400, code })

/** The same code serves every path, so one is enough. */
export const mcpErrorChecks = (path: string): Check[] =>
  checksOf('mcp', {
    ping: async (client) => {
      expectResult(await client.send(oldCall(path, 'ping')), OLD)
    },
    // A falsy one, and one that changes if JSON is parsed and serialised again.
    ids: async (client) => {
      for (const id of ['0', '9007199254740993']) {
        const response = await client.send(post(path, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`))
        expectResponse(response, { status: 200, type: 'application/json' })
        const isEchoed = numberAsWritten(response.text, 'id') === id
        expect(isEchoed, response, `the id ${id} that was sent`, diagnoses.idChanged)
      }
    },
    agreement: (client) => checkAgreement(client, path),
    errors: async (client) => {
      expectError(await client.send(oldCall(path, 'vitrine/no-such-method')), -32601)
      expectError(await client.send(oldCall(path, 'tools/call', { name: 'no_such_tool' })), -32602)
    },
    'bad-request': probe(
      { ...post(path, '{"jsonrpc"'), expect: badRequest('invalid_json') },
      { ...post(path, '[]'), expect: badRequest('invalid_jsonrpc_request') },
      { ...post(path, 'x', { 'Content-Type': 'text/plain' }), expect: badRequest('unsupported_media_type') },
    ),
    'version-header': probe({
      ...oldCall(path, 'ping', undefined, { 'MCP-Protocol-Version': '2020-01-01' }),
      expect: { ...badRequest('unsupported_protocol_version'), meaning: { 200: diagnoses.versionHeaderRemoved } },
    }),
  })

export const modernMcpChecks = (path: string): Check[] =>
  checksOf('mcp-2026', {
    discover: async (client) => {
      const response = await client.send(modernCall(path, 'server/discover'))
      const { supportedVersions: versions } = expectModernResult(client, response)
      const speaksBoth = Array.isArray(versions) && versions.includes(MODERN) && versions.includes(OLD)
      const expected = `supportedVersions with ${MODERN} and ${OLD}`
      expect(speaksBoth, response, expected, diagnoses.unknown)
    },
    tools: async (client) => {
      const listed = await client.send(modernCall(path, 'tools/list'))
      for (const name of toolNames(expectModernResult(client, listed))) {
        const response = await client.send(modernCall(path, 'tools/call', { name, arguments: {} }))
        const { isError, structuredContent: content, ...result } = expectModernResult(client, response)
        // The workspace may be archived.
        if (isError === true) continue
        const isSame = isDeepStrictEqual(content, parseJson(textOf(result) ?? ''))
        expect(isObject(content) && isSame, response, 'structuredContent, the same as the text')
      }
    },
    headers: async (client) => {
      const { headers, ...request } = modernCall(path, 'tools/list')
      const response = await client.send({ ...request, headers: { ...headers, 'Mcp-Method': 'tools/call' } })
      expectError(response, -32020, 400)
    },
    errors: async (client) => {
      expectError(await client.send(modernCall(path, 'vitrine/no-such-method')), -32601, 404)
    },
    notification: probe({ ...modernCall(path, 'notifications/cancelled'), expect: { status: 202, hasNoBody: true } }),
  })

function expectModernResult(client: CheckClient, response: CheckedResponse): Record<string, unknown> {
  const result = expectResult(response, MODERN)
  expectFits(response, client.contract.schemaError('McpResult', response.json), `a result of MCP ${MODERN}`)
  return result
}

function textOf(result: Record<string, unknown>): string | undefined {
  const [block] = Array.isArray(result.content) ? result.content : []
  return isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : undefined
}

const toolNames = (result: Record<string, unknown>): string[] =>
  Array.isArray(result.tools) ? result.tools.flatMap((tool) => (isObject(tool) ? [String(tool.name)] : [])) : []
