import { isObject } from '../../../lib/checker.ts'
import { isLoopback } from '../../../lib/network.ts'
import { type Check, checksAt, probe } from '../check.ts'
import type { CheckClient } from '../client.ts'
import { diagnoseStatus, diagnoses } from '../diagnosis.ts'
import { expect, expectResponse } from '../expect.ts'
import type { CheckedResponse } from '../http.ts'
import { oldCall } from '../rpc.ts'

export function pathChecks(path: string, mcpPath: string): Check[] {
  /** Sent without a key: a 401 from Vitrine shows that the path was treated as another one. */
  const unknownPath =
    (unknown: string): Check['run'] =>
    async (client) => {
      const response = await client.send({ method: 'GET', path: unknown })
      const isTaken = response.headers['www-authenticate'] !== undefined
      const meaning = isTaken ? { 401: diagnoses.pathRewritten } : {}
      expectResponse(response, { status: 404, code: 'not_found', meaning })
    }
  return checksAt(mcpPath, 'paths', {
    unknown: unknownPath('/vitrine-check/no-such-path'),
    case: unknownPath(path.toUpperCase()),
    'trailing-slash': unknownPath(`${path}/`),
    slashes: unknownPath(`/${path}`),
    encoded: probe({
      method: 'GET',
      path: `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
      expect: { status: 401, code: 'unauthorized' },
    }),
    'problem-pages': async (client) => {
      const response = await client.sendOnce({ method: 'GET', path })
      const type = isObject(response.json) && typeof response.json.type === 'string' ? response.json.type : ''
      const { url } = client.target
      const page = URL.parse(type, url.href)
      const isNamed = page !== null && type !== ''
      expect(isNamed, response, 'a problem with a type', diagnoseStatus(response))
      const expected = `the type of a problem at ${url.origin}`
      expect(isOwn(client, page), response, expected, diagnoses.wrongPublicUrl, page.origin)
      const explanation = await client.send({ method: 'GET', path: page.pathname })
      expectResponse(explanation, { status: 200, meaning: { 404: diagnoses.anotherServer } })
    },
    oauth: (client) => checkOauth(client, mcpPath),
  })
}

const WELL_KNOWN = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration']
const RESOURCE = '/.well-known/oauth-protected-resource'

/** The 401 from `path` must name the metadata; otherwise none may exist. */
async function checkOauth(client: CheckClient, path: string): Promise<string> {
  const refused = await client.sendOnce({ ...oldCall(path, 'ping'), withKey: false })
  const metadataUrl = /\bresource_metadata="([^"]*)"/.exec(refused.headers['www-authenticate'] ?? '')?.[1]
  if (metadataUrl === undefined) return expectNone(client, path)
  const url = URL.parse(metadataUrl)
  const isRight = url !== null && isOwn(client, url) && url.pathname === RESOURCE + path
  expect(isRight, refused, `resource_metadata at ${client.target.url.origin}`, diagnoses.wrongPublicUrl, metadataUrl)
  await checkMetadata(client, url.origin, path)
  return 'people can connect agents by signing in'
}

async function expectNone(client: CheckClient, path: string): Promise<string> {
  const notFound = { status: 404, code: 'not_found', meaning: { 200: diagnoses.anotherServer } }
  for (const name of [...WELL_KNOWN.map((each) => `/.well-known/${each}`), RESOURCE + path])
    expectResponse(await client.send({ method: 'GET', path: name }), notFound)
  for (const name of ['/register', '/oauth/register'])
    expectResponse(await client.send({ method: 'POST', path: name, body: '{}' }), notFound)
  return 'people cannot connect agents by signing in'
}

/** Vitrine may be checked at its own address, without the proxies in front of it. */
const isOwn = ({ target }: CheckClient, url: URL) => url.origin === target.url.origin || isLoopback(target.url.hostname)

async function checkMetadata(client: CheckClient, issuer: string, path: string): Promise<void> {
  await expectMembers(client, RESOURCE + path, { resource: issuer + path, authorization_servers: [issuer] })
  await expectMembers(client, '/.well-known/oauth-authorization-server', {
    issuer,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_endpoint: `${issuer}/oauth/authorize`,
    registration_endpoint: `${issuer}/oauth/register`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
  })
  await expectRefusal(client, '/oauth/register', 'invalid_client_metadata')
  for (const each of ['/oauth/token', '/oauth/revoke']) await expectRefusal(client, each, 'invalid_request')
  const consent = await client.send({ method: 'GET', path: '/oauth/authorize' })
  expectResponse(consent, { status: 400, type: 'text/html; charset=utf-8', meaning: { 404: diagnoses.anotherServer } })
}

/** A list may have more items: a newer server may support more. */
async function expectMembers(client: CheckClient, path: string, members: Record<string, string | string[]>) {
  const response = await client.send({ method: 'GET', path })
  const json = jsonOf(response, 200, 'no-cache')
  for (const [name, expected] of Object.entries(members)) {
    const [value, wanted] = [json[name], JSON.stringify(expected)]
    const isMet = Array.isArray(expected) ? expected.every((each) => [value].flat().includes(each)) : value === expected
    expect(isMet, response, `the member ${name} ${wanted}`, diagnoses.bodyChanged, `${name}: ${JSON.stringify(value)}`)
  }
}

/** An empty request, as a new client sends it. */
async function expectRefusal(client: CheckClient, path: string, error: string): Promise<void> {
  const type = error === 'invalid_request' ? 'application/x-www-form-urlencoded' : 'application/json'
  const response = await client.send({ method: 'POST', path, headers: { 'Content-Type': type }, body: '' })
  const json = jsonOf(response, 400, 'no-store')
  expect(json.error === error, response, `the error ${error}`, diagnoseStatus(response))
}

function jsonOf(response: CheckedResponse, status: number, cacheControl: string): Record<string, unknown> {
  const headers = { 'Cache-Control': cacheControl }
  expectResponse(response, { status, type: 'application/json', headers, meaning: { 404: diagnoses.anotherServer } })
  const { json } = response
  expect(isObject(json), response, 'a JSON object')
  return json
}
