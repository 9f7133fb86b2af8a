/**
 * src/tools/check is `vitrine check`: it tests a deployment, including its proxies, against the published contract. Like all of
 * src/tools, it needs no server of ours, and imports only src/lib.
 *
 *   run.ts          this file: identifies the deployment, then runs all checks in order and collects the report (report.ts)
 *   contract.ts     contract/openapi.json, from which most checks are derived, with the resources that the deployment declares
 *   check.ts        a check has a permanent id; its texts are in checks.json
 *   checks/         the checks; expect.ts throws a Deviation, whose likely cause diagnosis.ts finds
 *   client.ts       sends one request at a time within the key's quota (http.ts, rpc.ts)
 *
 * Invariants: only reads are sent, and a quarter of the quota is left. A report never contains the key or control characters,
 * whatever a server sends. A deployment that is not Vitrine gets one clear error instead of many failed checks.
 *
 * Risks: data may change between two requests, so a comparison must accept both states. A proxy may fail now and then, so a failed
 * request is repeated once, and only a separate check reports it.
 */
import { isObject } from '../../lib/checker.ts'
import { ConnectionError } from '../../lib/connection-failures.ts'
import { UserError } from '../../lib/user-error.ts'
import { type Check, checksOf, groupOf, type Result } from './check.ts'
import { documentChecks } from './checks/document.ts'
import { headerChecks } from './checks/headers.ts'
import { mcpChecks, mcpErrorChecks, modernMcpChecks } from './checks/mcp.ts'
import { pathChecks } from './checks/paths.ts'
import { restChecks, taskOrderCheck } from './checks/rest.ts'
import { transportChecks } from './checks/transport.ts'
import { type CheckClient, type CheckClientOptions, createCheckClient } from './client.ts'
import { type Contract, readContract } from './contract.ts'
import { diagnoseStatus, diagnoses, isRedirect } from './diagnosis.ts'
import { Deviation, expect, Skip, safeText, summary } from './expect.ts'
import type { CheckedResponse } from './http.ts'

export type Report = Awaited<ReturnType<typeof checkDeployment>>

/** Throws a UserError if the deployment cannot be reached, or is not Vitrine. */
export async function checkDeployment(options: CheckClientOptions) {
  const startedAt = performance.now()
  const contract = readContract()
  using client = createCheckClient(options, contract)
  const results: Result[] = []
  await identify(client)
  const document = await client.sendOnce({ method: 'GET', path: '/openapi.json' }).catch((error) => {
    // Reported by the checks of the document.
    if (error instanceof ConnectionError) return undefined
    throw error
  })
  contract.addDeclared(document?.json)
  for (const check of allChecks(contract)) results.push(await runOne(check, client))
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length
  return {
    url: options.target.url.origin,
    /** If the deployment has another version, a note shows it. */
    contractVersion: contract.version,
    ok: count('failed') === 0,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    requestsWithKey: client.state.requestsWithKey,
    requests: client.state.requests,
    durationMs: Math.round(performance.now() - startedAt),
    results,
  }
}

async function runOne({ id, title, why, run }: Check, client: CheckClient): Promise<Result> {
  const startedAt = performance.now()
  const about = () => ({ id, group: groupOf(id), title, why, durationMs: Math.round(performance.now() - startedAt) })
  try {
    const note = await run(client)
    return { ...about(), status: 'passed', ...(note !== undefined && { note: safeText(note) }) }
  } catch (error) {
    if (error instanceof Skip) return { ...about(), status: 'skipped', reason: safeText(error.message) }
    if (error instanceof Deviation) return { ...about(), status: 'failed', ...error.details }
    // Whatever a deployment sends, such as a malformed schema, the other checks still run.
    const diagnosis = error instanceof ConnectionError ? diagnoses.gateway : diagnoses.unknown
    const { details } = new Deviation('a response that can be checked', (error as Error).message, diagnosis)
    return { ...about(), status: 'failed', ...details }
  }
}

/** If the deployment is not Vitrine, one clear error is better than many failed checks. */
async function identify(client: CheckClient): Promise<void> {
  const { origin } = client.target.url
  const [path = '/', ...others] = client.contract.pathsWith('GET')
  try {
    const first = await client.read(path)
    if (isRedirect(first))
      throw new UserError(
        `${origin} redirects to ${safeText(first.headers.location ?? 'an unknown URL')} (${first.status}); check that URL instead: ` +
          'redirected requests lose their key or their body',
      )
    if (isVitrine(first)) return
    for (const other of [path, '/openapi.json', ...others])
      if (isVitrine(await client.sendOnce({ method: 'GET', path: other }))) return
    throw new UserError(`${origin} is not Vitrine: GET ${path} returned ${summary(first)}; check the URL`)
  } catch (error) {
    // A Skip means that the quota is used up for long.
    const isExplained = error instanceof ConnectionError || error instanceof Skip
    throw isExplained ? new UserError(`${origin}: ${error.message}`, { cause: error }) : error
  }
}

/** Any of these is enough, since a proxy may break the others. */
function isVitrine({ status, json, request, headers }: CheckedResponse): boolean {
  if (/realm="vitrine"/.test(headers['www-authenticate'] ?? '')) return true
  if (!isObject(json)) return false
  if (isObject(json.info)) return json.info.title === 'Vitrine'
  if (status >= 400) return typeof json.code === 'string' && typeof json.hint === 'string'
  return Object.hasOwn(json, request.path.slice(1))
}

export function allChecks(contract: Contract): Check[] {
  const resources = contract.pathsWith('GET')
  const endpoints = contract.pathsWith('POST')
  const [resource = '/'] = resources
  const [endpoint = '/'] = endpoints
  const newest = endpoints.at(-1) ?? '/'
  return [
    ...keyCheck(resource),
    ...documentChecks,
    ...[...resources, ...contract.declared].flatMap(restChecks),
    ...taskOrderCheck,
    ...endpoints.flatMap(mcpChecks),
    ...mcpErrorChecks(endpoint),
    ...modernMcpChecks(newest),
    ...pathChecks(resources.at(-1) ?? '/', newest),
    ...transportChecks(resource, endpoint),
    ...headerChecks,
  ]
}

/** Runs first, because most checks need an accepted key. */
const keyCheck = (path: string): Check[] =>
  checksOf('reach', {
    key: async (client) => {
      const response = await client.read(path)
      if (response.status !== 401) return
      client.state.keyError = 'the key was not accepted: see reach.key'
      expect(false, response, 'any response except 401', diagnoseStatus(response))
    },
  })
