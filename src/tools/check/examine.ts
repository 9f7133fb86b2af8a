/** The checks that one request and what it must get cannot express. */
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../lib/checker.ts'
import { numberAsWritten } from '../../lib/json-text.ts'
import { isLoopback } from '../../lib/network.ts'
import { type CheckClient, sendExpecting } from './client.ts'
import { type Diagnosis, diagnoseStatus, diagnoses } from './diagnosis.ts'
import { type Expected, expect, expectHeader, expectResponse, Skip, schemaError, summary } from './expect.ts'
import {
  contentOf,
  JSON_TYPE,
  modern,
  modernResult,
  old,
  oldResult,
  post,
  problem,
  resultOf,
  toolNames,
} from './messages.ts'

/** Runs first, because most checks need an accepted key. */
export async function keyIsAccepted(client: CheckClient, path: string) {
  const response = await client.read(path)
  if (response.status === 401) client.state.keyError = 'the key was not accepted: see reach.key'
  expect(response.status !== 401, response, 'any response except 401', diagnoseStatus(response))
}

export async function documentIsServed(client: CheckClient) {
  const response = await client.sendOnce({ method: 'GET', path: '/openapi.json' })
  const expected = { status: 200, type: JSON_TYPE, has: { info: { title: 'Vitrine' }, paths: {} } }
  expectResponse(client.contract, response, expected)
  const { version } = Object(Object(response.json).info)
  if (version !== client.contract.version)
    client.state.note = `the deployment is version ${version}; this check is for ${client.contract.version}`
}

/** A key with fewer permissions, or whose workspace is archived, gets these problems. */
const REFUSALS: Record<number, string> = { 403: 'forbidden', 404: 'workspace_not_found' }

export async function resourceIsRead(client: CheckClient, path: string) {
  const response = await client.read(path)
  const { status } = response
  const code = REFUSALS[status]
  const ok = { status: 200, type: JSON_TYPE, headers: { 'Cache-Control': 'private, no-cache' } }
  expectResponse(client.contract, response, code === undefined ? ok : problem(status, code))
  if (code !== undefined) throw new Skip(`this key gets ${status} ${code} for ${path}: only that was checked`)
}

export async function headIsServed(client: CheckClient, path: string) {
  const { status } = await client.readable(path)
  await sendExpecting(client, { method: 'HEAD', path, withKey: true }, { status, hasNoBody: true })
}

export async function etagMatches(client: CheckClient, path: string) {
  const read = await client.readable(path)
  expectHeader(read, 'ETag', /^"[^"]+"$/, { ifOther: diagnoses.etagWeakened })
  const { etag = '' } = read.headers
  for (const other of client.contract.pathsWith('GET').filter((each) => each !== path)) {
    const isOwn = (await client.read(other)).headers.etag !== etag
    expect(isOwn, read, `a different ETag than ${other}`, diagnoses.etagReplaced, `ETag: ${etag}`)
  }
  await expectNotModified(client, path, etag, {}, diagnoses.conditionIgnored)
  const other = { method: 'GET', path, withKey: true, headers: { 'If-None-Match': '"another"' } } as const
  await sendExpecting(client, other, { status: 200, meaning: { 304: diagnoses.cached } })
}

export async function compressedEtagMatches(client: CheckClient, path: string) {
  await client.readable(path)
  const headers = { 'Accept-Encoding': 'gzip, br' }
  const response = await client.send({ method: 'GET', path, withKey: true, headers })
  expectResponse(client.contract, response, { status: 200, type: JSON_TYPE })
  const { 'content-encoding': encoding, etag = '', vary = '' } = response.headers
  if (encoding === undefined) throw new Skip('nothing compresses the responses here')
  const varies = /accept-encoding|\*/i.test(vary)
  expect(varies, response, 'Vary: Accept-Encoding', diagnoses.varyMissing, `Vary: ${vary}`)
  await expectNotModified(client, path, etag, headers, diagnoses.etagChanged)
  client.state.note = `responses are compressed (${encoding}), not by Vitrine`
}

/** The data is unlikely to change more often between consecutive requests. */
const MAX_CHANGES = 2

/** If the body has changed since then, the new ETag is tried, as a client would. */
async function expectNotModified(client: CheckClient, path: string, etag: string, headers: object, ifNot: Diagnosis) {
  let sent = etag
  for (let changes = 0; ; changes++) {
    const conditional = { ...headers, 'If-None-Match': sent }
    const response = await client.send({ method: 'GET', path, withKey: true, headers: conditional })
    if (response.status !== 200) return expectResponse(client.contract, response, { status: 304, hasNoBody: true })
    const { etag: next = sent } = response.headers
    const isChanged = next !== sent && changes < MAX_CHANGES
    expect(isChanged, response, `status 304 to If-None-Match: ${sent}`, ifNot, `200 with ETag: ${next}`)
    sent = next
  }
}

const toolCall = (path: string, name: string) => old(path, 'tools/call', { name, arguments: {} })

async function toolsOf(client: CheckClient, path: string): Promise<string[]> {
  const response = await client.sendOnce(old(path, 'tools/list'))
  expectResponse(client.contract, response, oldResult())
  const names = toolNames(response)
  expect(names.length > 0, response, 'at least one tool', diagnoses.unknown)
  return names
}

export async function toolsAreCalled(client: CheckClient, path: string) {
  const names = await toolsOf(client, path)
  for (const name of names) {
    const called = await sendExpecting(client, toolCall(path, name), oldResult())
    const isMet = isObject(contentOf(called)) || resultOf(called).isError === true
    expect(isMet, called, 'one block of text with a JSON object')
  }
  client.state.note = `tools of this key: ${names.join(', ')}`
}

export async function toolsMatchRest(client: CheckClient, path: string) {
  let compared = 0
  for (const name of await toolsOf(client, path)) {
    const [property = ''] = Object.keys(Object(contentOf(await client.sendOnce(toolCall(path, name)))))
    if (client.contract.response('GET', `/${property}`, 200) === undefined) continue
    // The data may change, so the tool is called between two equal responses.
    const get = { method: 'GET', path: `/${property}`, withKey: true } as const
    const [before, called, after] = [
      await client.send(get),
      await client.send(toolCall(path, name)),
      await client.send(get),
    ]
    // Other checks report a body that does not fit.
    if (before.status !== 200 || schemaError(client.contract, before) !== undefined) continue
    if (!isDeepStrictEqual(before.json, after.json)) throw new Skip(`the data of ${get.path} changes too often`)
    const isSame = isDeepStrictEqual(contentOf(called), before.json)
    expect(isSame, called, `${name} with the data of GET ${get.path}`, diagnoses.dataDiffers)
    compared++
  }
  if (compared === 0) throw new Skip('this key can read nothing both ways')
}

export async function idIsReturned(client: CheckClient, path: string, id: string) {
  const request = post(path, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
  const response = await sendExpecting(client, request, { status: 200, type: JSON_TYPE, has: { result: {} } })
  const returned = numberAsWritten(response.text, 'id') ?? JSON.stringify(Object(response.json).id)
  expect(returned === id, response, `the id ${id} that was sent`, diagnoses.idChanged)
}

export async function modernToolsAreCalled(client: CheckClient, path: string) {
  const listed = await sendExpecting(client, modern(path, 'tools/list'), modernResult({ cacheScope: 'private' }))
  for (const name of toolNames(listed)) {
    const request = modern(path, 'tools/call', { name, arguments: {} })
    const response = await sendExpecting(client, request, modernResult())
    const { isError, structuredContent } = resultOf(response)
    // The workspace may be archived.
    const isSame = isError === true || isDeepStrictEqual(structuredContent, contentOf(response))
    expect(isSame, response, 'structuredContent, the same as the text')
  }
}

export async function problemIsExplained(client: CheckClient, path: string) {
  const response = await client.sendOnce({ method: 'GET', path })
  const { origin } = client.target.url
  const { type } = Object(response.json)
  const page = typeof type === 'string' ? URL.parse(type, origin) : null
  expect(page !== null, response, 'a problem with a type', diagnoseStatus(response))
  const isMet = isOwn(client, page)
  expect(isMet, response, `the type of a problem at ${origin}`, diagnoses.wrongPublicUrl, page.origin)
  await sendExpecting(client, { method: 'GET', path: page.pathname }, { status: 200, meaning })
}

/** Vitrine may be checked at its own address, without the proxies in front of it. */
const isOwn = ({ target }: CheckClient, url: URL) => url.origin === target.url.origin || isLoopback(target.url.hostname)

export async function caseIsIgnored(client: CheckClient, path: string) {
  const { status } = await client.read(path)
  const expected = { status, meaning: { 401: diagnoses.caseSensitive } }
  await sendExpecting(client, { method: 'GET', path, withKey: 'in other case' }, expected)
}

/** Sends nothing with the key itself; runs after the checks that do. */
export async function nothingFailedOnce({ passingFailures, state }: CheckClient) {
  const [failure] = passingFailures
  if (failure === undefined) return
  const got = `${passingFailures.length} of ${state.requests} requests failed like this: ${summary(failure)}`
  expect(false, failure, 'the same response on every attempt', diagnoses.gatewaySometimes, got)
}

const meaning = { 404: diagnoses.anotherServer }
const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'

/** The 401 from `path` must name the metadata; otherwise none may exist. */
export async function oauthIsAsAnnounced(client: CheckClient, path: string) {
  const refused = await client.sendOnce({ ...old(path, 'ping'), withKey: false })
  const named = /\bresource_metadata="([^"]*)"/.exec(refused.headers['www-authenticate'] ?? '')?.[1]
  const url = URL.parse(named ?? '')
  if (named !== undefined) {
    const isRight = url !== null && isOwn(client, url) && url.pathname === RESOURCE + path
    const expected = `resource_metadata at ${client.target.url.origin}`
    expect(isRight, refused, expected, diagnoses.wrongPublicUrl, named)
  }
  for (const [method, at, expected] of url === null ? noOAuth(path) : oauth(url.origin, path)) {
    const type = at.startsWith('/oauth/re') && !at.endsWith('revoke') ? JSON_TYPE : FORM
    const body = method === 'POST' ? { body: '', headers: { 'Content-Type': type } } : {}
    await sendExpecting(client, { method, path: at, ...body }, expected)
  }
  client.state.note = `people ${url === null ? 'cannot' : 'can'} connect agents by signing in`
}

const FORM = 'application/x-www-form-urlencoded'

function noOAuth(path: string): [method: string, path: string, expected: Expected][] {
  const notFound = { ...problem(404, 'not_found'), meaning: { 200: diagnoses.anotherServer } }
  const wellKnown = [RESOURCE, RESOURCE + path, SERVER, '/.well-known/openid-configuration']
  const endpoints = ['/register', '/authorize', '/token', '/oauth/register']
  return [
    ...wellKnown.map((each): [string, string, Expected] => ['GET', each, notFound]),
    ...endpoints.map((each): [string, string, Expected] => ['POST', each, notFound]),
  ]
}

/** The requests without content are refused, which shows that they reach Vitrine. */
function oauth(issuer: string, path: string): [method: string, path: string, expected: Expected][] {
  const json = (status: number, cache: string, has: Record<string, unknown>): Expected => ({
    ...{ status, type: JSON_TYPE, headers: { 'Cache-Control': cache }, has, meaning },
  })
  const resource = { resource: issuer + path, authorization_servers: [issuer], bearer_methods_supported: ['header'] }
  const server = {
    issuer,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    registration_endpoint: `${issuer}/oauth/register`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
  }
  return [
    ['GET', RESOURCE + path, json(200, 'no-cache', resource)],
    ['GET', SERVER, json(200, 'no-cache', server)],
    ['POST', '/oauth/register', json(400, 'no-store', { error: 'invalid_client_metadata' })],
    ['POST', '/oauth/token', json(400, 'no-store', { error: 'invalid_request' })],
    ['POST', '/oauth/revoke', json(400, 'no-store', { error: 'invalid_request' })],
    ['GET', '/oauth/authorize', { status: 400, type: 'text/html; charset=utf-8', meaning }],
  ]
}
