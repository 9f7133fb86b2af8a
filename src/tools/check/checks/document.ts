import { isObject } from '../../../lib/checker.ts'
import { isLoopback } from '../../../lib/network.ts'
import type { Client } from '../client.ts'
import type { OpenApi } from '../contract.ts'
import type { Check } from '../define.ts'
import { diagnoses } from '../diagnosis.ts'
import { expect, expectStatus, expectType, summary } from '../expect.ts'
import { Deviation, Skip } from '../outcome.ts'
import { shown } from '../shown.ts'

const PATH = '/openapi.json'

export const documentChecks: Check[] = [
  {
    id: 'contract.document',
    group: 'contract',
    title: 'The deployment publishes its OpenAPI document, with every operation of the contract',
    why: 'Generated clients and gateways work by it.',
    async run(client) {
      const document = await fetchDocument(client)
      const missing = client.contract
        .operations()
        .filter(({ method, path }) => document.paths[path]?.[method.toLowerCase()] === undefined)
        .map(({ method, path }) => `${method} ${path}`)
      if (missing.length > 0 && document.info.version === client.contract.version)
        throw new Deviation('every operation of the contract', `none for ${missing.join(', ')}`, diagnoses.bodyChanged)
      if (document.info.version === client.contract.version) return undefined
      const lacks = missing.length === 0 ? '' : `, and lacks ${missing.join(', ')}`
      return shown(
        `the deployment is version ${document.info.version}; this check knows ${client.contract.version}${lacks}`,
      )
    },
  },
  {
    id: 'contract.public-url',
    group: 'contract',
    title: 'Links in answers lead to the URL that clients use',
    why: 'The type of a problem and the servers of the OpenAPI document would lead elsewhere.',
    async run(client) {
      const { url } = client.target
      const document = await fetchDocument(client)
      const named = document.servers?.[0]?.url ?? '/'
      const server = URL.parse(named, url.href)
      if (server?.origin === url.origin) return undefined
      const got = shown(`the server ${named}`)
      if (isLoopback(url.hostname)) return `${got}: PUBLIC_URL, while the check came by ${url.origin}`
      throw new Deviation(`OpenAPI document: the server ${url.origin}`, got, diagnoses.wrongPublicUrl)
    },
  },
]

async function fetchDocument(client: Client): Promise<OpenApi> {
  const response = await client.remembered({ method: 'GET', path: PATH })
  if (response.status === 403 || response.status === 404)
    throw new Skip(`${PATH} is not public here (${response.status})`)
  expectStatus(response, 200)
  expectType(response, 'application/json')
  const { json } = response
  const isDocument = isObject(json) && isObject(json.info) && isObject(json.paths)
  expect(isDocument, response, 'an OpenAPI document', summary, diagnoses.anotherServer)
  return json as unknown as OpenApi
}
