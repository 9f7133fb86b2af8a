import type { Client } from '../client.ts'
import type { Check } from '../define.ts'
import { diagnoses } from '../diagnosis.ts'
import {
  expect,
  expectBody,
  expectDocumentedHeaders,
  expectHeader,
  expectNoBody,
  expectProblem,
  expectStatus,
  summary,
} from '../expect.ts'
import { rawHead } from '../raw-head.ts'
import type { HttpResponse } from '../response.ts'
import { checkCompressedEtag, checkEtag } from './etags.ts'

const GRANT = 'private, no-cache'
const CHALLENGE = 'Bearer realm="vitrine"'

/** What the contract says of a resource, such as `/tasks`. */
export function restChecks(path: string): Check[] {
  const name = path.slice(1)
  const check = (id: string, title: string, why: string, operations: string[], run: Check['run']): Check => ({
    id: `rest.${name}.${id}`,
    group: 'rest',
    title,
    why,
    operations: operations.map((method) => `${method} ${path}`),
    run,
  })
  return [
    check(
      'get',
      `GET ${path} answers as the schema says, with its headers`,
      'Clients rely on every field being there.',
      ['GET'],
      (client) => checkGet(client, path),
    ),
    check(
      'head',
      `HEAD ${path} answers as GET does, without a body`,
      'Monitors and caches use it.',
      ['HEAD'],
      (client) => checkHead(client, path),
    ),
    check(
      'etag',
      `The ETag of GET ${path} is strong and gets a 304`,
      'Polling clients would transfer the whole body each time.',
      ['GET'],
      (client) => checkEtag(client, path),
    ),
    check(
      'compressed-etag',
      `The ETag of a compressed answer of ${path} gets a 304 too`,
      'Most clients accept compression: they would never get a 304.',
      ['GET'],
      (client) => checkCompressedEtag(client, path),
    ),
    check(
      'options',
      `OPTIONS ${path} says what is allowed, and allows no web page`,
      'Gateways ask for it.',
      ['OPTIONS'],
      async (client) => {
        const response = await client.send({ method: 'OPTIONS', path })
        expectStatus(response, 204, response.status === 200 ? diagnoses.methodFiltered : undefined)
        expectHeader(response, 'Allow', 'GET, HEAD')
        expectNoBody(response)
        return undefined
      },
    ),
    check(
      'method',
      `Writing to ${path} is refused as a problem`,
      'Clients tell a wrong method by its code.',
      ['GET'],
      async (client) => {
        for (const method of ['POST', 'DELETE']) {
          const response = await client.send({ method, path, ...(method === 'POST' && { body: '{}' }) })
          expectProblem(response, 405, 'method_not_allowed')
          expectHeader(response, 'Allow', 'GET, HEAD')
        }
        return undefined
      },
    ),
    check(
      'unauthorized',
      `GET ${path} without a valid key is a 401 that says how to send one`,
      'Clients tell a missing key from a bad one, and must never see data without one.',
      ['GET'],
      (client) => checkUnauthorized(client, path),
    ),
  ]
}

async function checkGet(client: Client, path: string): Promise<string | undefined> {
  const response = await client.read(path)
  if (response.status === 403) {
    expectProblem(response, 403, 'forbidden')
    return `the key may not read ${path}: its 403 was checked instead`
  }
  if (response.status === 404 && client.contract.requiredHeaders('GET', path, 404) !== undefined) {
    expectProblem(response, 404, 'workspace_not_found')
    return `the workspace of the key is archived or deleted: its 404 was checked instead`
  }
  expectStatus(response, 200)
  expectBody(client.contract, response, 'application/json')
  expectDocumentedHeaders(client.contract, response)
  expectHeader(response, 'Cache-Control', GRANT)
  return undefined
}

async function checkHead(client: Client, path: string): Promise<string | undefined> {
  const read = await client.readable(path)
  const exchange = (request: HttpResponse['request'], headers: Record<string, string>) =>
    rawHead(client.target, request, headers)
  const response = await client.send({ method: 'HEAD', path, withKey: true }, exchange)
  expectStatus(response, read.status)
  expect(
    response.body.length === 0,
    response,
    'no body',
    `${response.body.length} bytes after the head`,
    diagnoses.headHasBody,
  )
  expectDocumentedHeaders(client.contract, response)
  const { 'content-length': length, etag } = response.headers
  // What was read may have changed since, or have been compressed.
  const isOther = etag !== read.headers.etag || read.headers['content-encoding'] !== undefined
  const isSame = isOther || length === undefined || Number(length) === read.body.length
  expect(isSame, response, `Content-Length: ${read.body.length}`, `Content-Length: ${length}`, diagnoses.bodyChanged)
  return undefined
}

async function checkUnauthorized(client: Client, path: string): Promise<string | undefined> {
  const without = await client.send({ method: 'GET', path })
  const diagnosis = without.status === 200 ? diagnoses.cached : undefined
  expect(without.status === 401, without, 'status 401', summary, diagnosis ?? diagnoses.anotherServer)
  expectProblem(without, 401, 'unauthorized')
  expectHeader(without, 'WWW-Authenticate', CHALLENGE)
  expectDocumentedHeaders(client.contract, without)
  // Not in the form of a key: the deployment records refused keys.
  const bad = await client.send({ method: 'GET', path, headers: { Authorization: 'Bearer not-a-key' } })
  expect(bad.status !== 200, bad, 'status 401', summary, diagnoses.cached)
  expectProblem(bad, 401, 'unauthorized')
  const seen = bad.headers['www-authenticate'] === CHALLENGE ? diagnoses.authorizationRemoved : undefined
  expectHeader(bad, 'WWW-Authenticate', `${CHALLENGE}, error="invalid_token"`, seen)
  return undefined
}
