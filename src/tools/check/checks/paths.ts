import { isObject } from '../../../lib/checker.ts'
import { isLoopback } from '../../../lib/network.ts'
import { type Check, checksOf, probe } from '../check.ts'
import { diagnoseStatus } from '../diagnose.ts'
import { diagnoses } from '../diagnosis.ts'
import { expect, expectResponse } from '../expect.ts'

export function pathChecks(path: string): Check[] {
  /** Sent without a key: a 401 from Vitrine shows that the path was treated as another one. */
  const unknownPath =
    (unknown: string): Check['run'] =>
    async (client) => {
      const response = await client.send({ method: 'GET', path: unknown })
      const isTaken = response.headers['www-authenticate'] !== undefined
      const meaning = isTaken ? { 401: diagnoses.pathRewritten } : {}
      expectResponse(response, { status: 404, code: 'not_found', meaning })
    }
  return checksOf(
    'paths',
    {
      unknown: ['An unknown path gets a 404 problem', 'Clients use its code to recognise a typo.'],
      case: ['Paths are case-sensitive', 'Proxy rules and quotas are based on the path.'],
      'trailing-slash': ['A path with a trailing slash is another path', 'A redirect would lose a POST or the key.'],
      slashes: ['Slashes are not merged', 'Otherwise, a rule for a path could be bypassed.'],
      encoded: ['An encoded character equals the character', 'Clients may encode more than necessary.'],
      'problem-pages': ['The type of a problem links to its explanation', 'People follow the link in their logs.'],
    },
    {
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
    },
  )
}
