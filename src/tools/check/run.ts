/**
 * src/tools/check is `vitrine check`: it tests a deployment, including its proxies, against the published contract. Like all of
 * src/tools, it needs no server of ours, and imports only src/lib.
 *
 *   table.ts      every check: its permanent id, its requests and what they must get; messages.ts writes those of MCP
 *   examine.ts    the checks that one request cannot express; headers.ts examines all responses
 *   run.ts        this file: identifies the deployment, then runs the table in order and collects the report
 *   contract.ts   contract/openapi.json, which every response must match, with the resources that the deployment declares
 *   expect.ts     compares a response, and throws a Deviation, whose likely cause diagnosis.ts finds
 *   client.ts     sends one request at a time within the key's quota (http.ts)
 *
 * test/contract runs the same table against the service itself.
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
import { type CheckClient, type CheckClientOptions, createCheckClient, type Step } from './client.ts'
import { readContract } from './contract.ts'
import { type Diagnosis, diagnoses, isRedirect } from './diagnosis.ts'
import { Deviation, Skip, safeText, summary } from './expect.ts'
import type { CheckedResponse } from './http.ts'
import { runSteps, tableOf } from './table.ts'

export type Report = Awaited<ReturnType<typeof checkDeployment>>

export type Result = { id: string } & (
  | { status: 'passed'; note?: string }
  | { status: 'skipped'; reason: string }
  | ({ status: 'failed'; expected: string; got: string } & Diagnosis)
)

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
  for (const [id, steps] of Object.entries(tableOf(contract))) results.push(await resultOf(id, steps, client))
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

async function resultOf(id: string, steps: readonly Step[], client: CheckClient): Promise<Result> {
  try {
    delete client.state.note
    await runSteps(steps, client)
    const { note } = client.state
    return { id, status: 'passed', ...(note !== undefined && { note: safeText(note) }) }
  } catch (error) {
    if (error instanceof Skip) return { id, status: 'skipped', reason: safeText(error.message) }
    if (error instanceof Deviation) return { id, status: 'failed', ...error.details }
    // Whatever a deployment sends, such as a malformed schema, the other checks still run.
    const diagnosis = error instanceof ConnectionError ? diagnoses.gateway : diagnoses.unknown
    const { details } = new Deviation('a response that can be checked', (error as Error).message, diagnosis)
    return { id, status: 'failed', ...details }
  }
}

/** If the deployment is not Vitrine, one clear error is better than many failed checks. */
async function identify(client: CheckClient): Promise<void> {
  const { origin } = client.target.url
  const [path = '/'] = client.contract.pathsWith('GET')
  try {
    const first = await client.read(path)
    if (isRedirect(first))
      throw new UserError(
        `${origin} redirects to ${safeText(first.headers.location ?? 'an unknown URL')} (${first.status}); check that URL instead: ` +
          'redirected requests lose their key or their body',
      )
    if (isVitrine(first)) return
    for (const other of [path, '/openapi.json'])
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

export function textReport(report: Report, outcome: Record<Result['status'], string>): string {
  const { url, contractVersion, passed, failed, skipped, requests, requestsWithKey, durationMs } = report
  const lines = [`${url} against the contract of Vitrine ${contractVersion}`, '']
  for (const { id, status, ...facts } of report.results) {
    lines.push(`${outcome[status]}  ${id}`)
    for (const [name, text] of Object.entries(facts)) lines.push(`      ${name.padEnd(8)}  ${text}`)
  }
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  const ofQuota = `${requests} requests, ${requestsWithKey} of them from the key's quota`
  lines.push('', `${counts}; ${ofQuota}, in ${(durationMs / 1000).toFixed(1)} s`)
  return lines.join('\n')
}
