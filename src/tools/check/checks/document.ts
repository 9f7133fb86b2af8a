import { isObject } from '../../../lib/checker.ts'
import { isLoopback } from '../../../lib/network.ts'
import type { OpenApi } from '../../../lib/openapi.ts'
import { type Check, checksOf } from '../check.ts'
import type { CheckClient } from '../client.ts'
import { diagnoses } from '../diagnosis.ts'
import { expect, expectResponse, Skip } from '../expect.ts'
import type { CheckedResponse } from '../http.ts'

const PATH = '/openapi.json'

export const documentChecks: Check[] = checksOf('contract', {
  document: async (client) => {
    const { response, document } = await readDocument(client)
    const { version } = document.info
    const missing = client.contract
      .operations()
      .filter(({ method, path }) => document.paths[path]?.[method.toLowerCase()] === undefined)
      .map(({ method, path }) => `${method} ${path}`)
    const lacks = missing.length === 0 ? '' : `, and lacks ${missing.join(', ')}`
    if (version !== client.contract.version)
      return `the deployment is version ${version}; this check is for ${client.contract.version}${lacks}`
    const got = `none for ${missing.join(', ')}`
    expect(missing.length === 0, response, 'every operation of the contract', diagnoses.bodyChanged, got)
    return undefined
  },
  'public-url': async (client) => {
    const { url } = client.target
    const { response, document } = await readDocument(client)
    const serverUrl = document.servers?.[0]?.url ?? '/'
    if (URL.parse(serverUrl, url.href)?.origin === url.origin) return undefined
    const got = `the server ${serverUrl}`
    expect(isLoopback(url.hostname), response, `the server ${url.origin}`, diagnoses.wrongPublicUrl, got)
    return `${got}: PUBLIC_URL, while the check used ${url.origin}`
  },
})

const LIFECYCLE_HEADERS = ['Deprecation', 'Sunset', 'Link']

/** The headers that announce the end of a path, by path. Undefined if the deployment shows no document. */
export async function announcedHeaders(client: CheckClient): Promise<Map<string, string[]> | undefined> {
  const { json } = await client.sendOnce({ method: 'GET', path: PATH })
  if (!isObject(json) || !isObject(json.paths)) return undefined
  return new Map(
    Object.entries(json.paths).map(([path, item]) => {
      const written = JSON.stringify(item)
      return [path, LIFECYCLE_HEADERS.filter((name) => written.includes(`"${name}":{"$ref":`))]
    }),
  )
}

async function readDocument(client: CheckClient): Promise<{ response: CheckedResponse; document: OpenApi }> {
  const response = await client.sendOnce({ method: 'GET', path: PATH })
  if (response.status === 403 || response.status === 404)
    throw new Skip(`${PATH} is not public here (${response.status})`)
  expectResponse(response, { status: 200, type: 'application/json' })
  const { json } = response
  const isDocument = isObject(json) && isObject(json.info) && isObject(json.paths)
  expect(isDocument, response, 'an OpenAPI document', diagnoses.anotherServer)
  return { response, document: json as unknown as OpenApi }
}
