import { isObject } from '../../../lib/checker.ts'
import { isLoopback } from '../../../lib/network.ts'
import { type Check, checkFactory } from '../define.ts'
import { diagnoseStatus } from '../diagnose.ts'
import { diagnoses } from '../diagnosis.ts'
import { expect, expectProblem, expectStatus, summary } from '../expect.ts'
import { Deviation } from '../outcome.ts'
import type { HttpResponse } from '../response.ts'

export function pathChecks(resourcePaths: readonly string[]): Check[] {
  const path = resourcePaths.at(-1) ?? '/'
  const check = checkFactory('paths')
  /** Asked without a key: a response of 401 shows that the path was taken for another one. */
  const unknownPaths =
    (paths: readonly string[]): Check['run'] =>
    async (client) => {
      for (const each of paths) {
        const response = await client.send({ method: 'GET', path: each })
        expect(response.status === 404, response, 'status 404', summary, rewritten(response))
        expectProblem(response, 404, 'not_found')
      }
      return undefined
    }
  return [
    check(
      'unknown',
      'An unknown path is a 404 problem',
      'Clients tell a typo by its code.',
      unknownPaths(['/vitrine-check/no-such-path']),
    ),
    check(
      'case',
      'Paths are case-sensitive',
      'Rules of proxies and quotas go by the path.',
      unknownPaths([path.toUpperCase()]),
    ),
    check(
      'trailing-slash',
      'A path with a slash at its end is another path',
      'A redirect would lose a POST or the key.',
      unknownPaths([`${path}/`]),
    ),
    check('slashes', 'Slashes are not merged', 'A rule for a path could be walked around.', unknownPaths([`/${path}`])),
    check(
      'encoded',
      'An encoded character is the character',
      'Clients may encode more than they must.',
      async (client) => {
        const encoded = `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`
        const response = await client.send({ method: 'GET', path: encoded })
        expectProblem(response, 401, 'unauthorized')
        return undefined
      },
    ),
    check(
      'no-oauth',
      'There is no OAuth metadata',
      'MCP clients would start an OAuth flow on a 401.',
      async (client) => {
        for (const each of ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration']) {
          const response = await client.send({ method: 'GET', path: `/.well-known/${each}` })
          expectStatus(response, 404, response.status === 200 ? diagnoses.anotherServer : undefined)
          expectProblem(response, 404, 'not_found')
        }
        expectProblem(await client.send({ method: 'POST', path: '/register', body: '{}' }), 404, 'not_found')
        return undefined
      },
    ),
    check(
      'problem-pages',
      'The type of a problem leads to its explanation',
      'People follow the link in their logs.',
      async (client) => {
        const response = await client.remembered({ method: 'GET', path })
        const type = isObject(response.json) && typeof response.json.type === 'string' ? response.json.type : ''
        const { url } = client.target
        const page = URL.parse(type, url.href)
        expect(page !== null && type !== '', response, 'a problem with a type', summary, diagnoseStatus(response))
        if (page.origin !== url.origin && !isLoopback(url.hostname))
          throw new Deviation(`the type of a problem at ${url.origin}`, page.origin, diagnoses.wrongPublicUrl)
        const explanation = await client.send({ method: 'GET', path: page.pathname })
        expectStatus(explanation, 200, explanation.status === 404 ? diagnoses.anotherServer : undefined)
        return undefined
      },
    ),
  ]
}

function rewritten(response: HttpResponse) {
  const { status, headers } = response
  if (status >= 300 && status < 400) return diagnoses.redirected
  // Only Vitrine's own routes have this challenge, so the path was taken for one of them.
  return status === 401 && headers['www-authenticate'] !== undefined
    ? diagnoses.pathRewritten
    : diagnoseStatus(response)
}
