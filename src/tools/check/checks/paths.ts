import { isObject } from '../../../lib/checker.ts'
import { isLoopback } from '../../../lib/network.ts'
import { type Check, checksAt, probe } from '../check.ts'
import { diagnoseStatus, diagnoses } from '../diagnosis.ts'
import { expect, expectResponse } from '../expect.ts'
import { checkOauth } from './oauth.ts'

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
      const isOwn = page.origin === url.origin || isLoopback(url.hostname)
      expect(isOwn, response, `the type of a problem at ${url.origin}`, diagnoses.wrongPublicUrl, page.origin)
      const explanation = await client.send({ method: 'GET', path: page.pathname })
      expectResponse(explanation, { status: 200, meaning: { 404: diagnoses.anotherServer } })
    },
    oauth: (client) => checkOauth(client, mcpPath),
  })
}
