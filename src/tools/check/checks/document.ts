import { isObject } from '../../../lib/checker.ts'
import { isLoopback } from '../../../lib/network.ts'
import { type Check, checksOf } from '../check.ts'
import type { Client } from '../client.ts'
import type { OpenApi } from '../contract.ts'
import { diagnoses } from '../diagnosis.ts'
import { Deviation, expect, expectResponse, Skip } from '../expect.ts'

const PATH = '/openapi.json'

export const documentChecks: Check[] = checksOf(
  'contract',
  {
    document: [
      'The deployment publishes its OpenAPI document, with every operation of the contract',
      'Generated clients and gateways work by it.',
    ],
    'public-url': [
      'Links in responses lead to the URL that clients use',
      'The type of a problem and the servers of the OpenAPI document would lead elsewhere.',
    ],
  },
  {
    document: async (client) => {
      const { paths, info } = await readDocument(client)
      const missing = client.contract
        .operations()
        .filter(({ method, path }) => paths[path]?.[method.toLowerCase()] === undefined)
        .map(({ method, path }) => `${method} ${path}`)
      const isSameVersion = info.version === client.contract.version
      if (missing.length > 0 && isSameVersion)
        throw new Deviation('every operation of the contract', `none for ${missing.join(', ')}`, diagnoses.bodyChanged)
      if (isSameVersion) return undefined
      const lacks = missing.length === 0 ? '' : `, and lacks ${missing.join(', ')}`
      return `the deployment is version ${info.version}; this check knows ${client.contract.version}${lacks}`
    },
    'public-url': async (client) => {
      const { url } = client.target
      const named = (await readDocument(client)).servers?.[0]?.url ?? '/'
      if (URL.parse(named, url.href)?.origin === url.origin) return undefined
      const got = `the server ${named}`
      if (isLoopback(url.hostname)) return `${got}: PUBLIC_URL, while the check came by ${url.origin}`
      throw new Deviation(`OpenAPI document: the server ${url.origin}`, got, diagnoses.wrongPublicUrl)
    },
  },
)

async function readDocument(client: Client): Promise<OpenApi> {
  const response = await client.sendOnce({ method: 'GET', path: PATH })
  if (response.status === 403 || response.status === 404)
    throw new Skip(`${PATH} is not public here (${response.status})`)
  expectResponse(response, { status: 200, type: 'application/json' })
  const { json } = response
  const isDocument = isObject(json) && isObject(json.info) && isObject(json.paths)
  expect(isDocument, response, 'an OpenAPI document', { diagnosis: diagnoses.anotherServer })
  return json as unknown as OpenApi
}
