import { isObject } from '../../../lib/checker.ts'
import type { OpenApi } from '../../../lib/openapi.ts'
import { type Check, checksOf } from '../check.ts'
import { diagnoses } from '../diagnosis.ts'
import { expect, expectResponse, Skip } from '../expect.ts'

const PATH = '/openapi.json'

export const documentChecks: Check[] = checksOf('contract', {
  document: async (client) => {
    const response = await client.sendOnce({ method: 'GET', path: PATH })
    if (response.status === 403 || response.status === 404)
      throw new Skip(`${PATH} is not public here (${response.status})`)
    expectResponse(response, { status: 200, type: 'application/json' })
    const { json } = response
    const isDocument = isObject(json) && isObject(json.info) && isObject(json.paths)
    expect(isDocument, response, 'an OpenAPI document', diagnoses.anotherServer)
    const { info, paths } = json as unknown as OpenApi
    const missing = client.contract
      .operations()
      .filter(({ method, path }) => paths[path]?.[method.toLowerCase()] === undefined)
      .map(({ method, path }) => `${method} ${path}`)
    const lacks = missing.length === 0 ? '' : `, and lacks ${missing.join(', ')}`
    if (info.version !== client.contract.version)
      return `the deployment is version ${info.version}; this check is for ${client.contract.version}${lacks}`
    const got = `none for ${missing.join(', ')}`
    expect(missing.length === 0, response, 'every operation of the contract', diagnoses.bodyChanged, got)
    return undefined
  },
})
