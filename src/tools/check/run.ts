import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError } from '../../lib/connection-failures.ts'
import { checksOf } from './checks/index.ts'
import { Client } from './client.ts'
import { readContract } from './contract.ts'
import type { Check, Group } from './define.ts'
import { diagnoses } from './diagnosis.ts'
import { createExchange } from './exchange.ts'
import { identify } from './identify.ts'
import { Deviation, type Diagnosis, Skip } from './outcome.ts'
import { Pace } from './pace.ts'
import { shown } from './shown.ts'
import type { Target } from './target.ts'

export type Result = { id: string; group: Group; title: string; why: string; durationMs: number } & (
  | { status: 'passed'; note?: string }
  | { status: 'skipped'; reason: string }
  | ({ status: 'failed'; expected: string; got: string } & Diagnosis)
)

export interface Report {
  url: string
  /** Of the contract that was checked; a note says when the deployment has another. */
  contractVersion: string
  ok: boolean
  passed: number
  failed: number
  skipped: number
  /** Those that cost the key's quota. */
  requestsWithKey: number
  requests: number
  durationMs: number
  results: Result[]
}

interface CheckOptions {
  target: Target
  key: string
  /** Send a foreign Origin too, which the deployment records as a use of the key in a browser. */
  sendsOrigin?: boolean
  onWait?: (seconds: number, reason: string) => void
  /** After each check, of how many. */
  onResult?: (result: Result, total: number) => void
  /** Another than the real one, in tests. */
  wait?: (ms: number) => Promise<void>
}

/** After so many failures of the connection in a row, the rest is not tried. */
const MAX_FAILURES_IN_A_ROW = 3

/** Checks a deployment against the published contract. Throws a UserError if it cannot be reached, or is no Vitrine. */
export async function checkDeployment(options: CheckOptions): Promise<Report> {
  const startedAt = performance.now()
  const { target, key, onWait = () => {}, onResult = () => {}, wait = sleep } = options
  const contract = readContract()
  const { exchange, close } = createExchange(target)
  const pace = new Pace(onWait, async (ms) => void (await wait(ms)))
  const client = new Client({ target, contract, key, exchange, pace, sendsOrigin: options.sendsOrigin })
  const results: Result[] = []
  try {
    await identify(client)
    let failuresInARow = 0
    const checks = checksOf(contract)
    for (const check of checks) {
      const given = failuresInARow < MAX_FAILURES_IN_A_ROW ? check : { ...check, run: serverIsGone }
      const { result, isConnectionFailure } = await runOne(given, client)
      if (given === check) failuresInARow = isConnectionFailure ? failuresInARow + 1 : 0
      results.push(result)
      onResult(result, checks.length)
    }
  } finally {
    close()
  }
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length
  return {
    url: target.url.origin,
    contractVersion: contract.version,
    ok: count('failed') === 0,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    requestsWithKey: client.requestsWithKey,
    requests: client.seen.length,
    durationMs: Math.round(performance.now() - startedAt),
    results,
  }
}

async function runOne(check: Check, client: Client): Promise<{ result: Result; isConnectionFailure: boolean }> {
  const { id, group, title, why } = check
  const startedAt = performance.now()
  const about = () => ({ id, group, title, why, durationMs: Math.round(performance.now() - startedAt) })
  const done = (result: Result, isConnectionFailure = false) => ({ result, isConnectionFailure })
  try {
    const note = await check.run(client)
    return done({ ...about(), status: 'passed', ...(note !== undefined && { note: shown(note) }) })
  } catch (error) {
    if (error instanceof Skip) return done({ ...about(), status: 'skipped', reason: shown(error.message) })
    if (error instanceof Deviation) {
      const { expected, got, diagnosis } = error
      return done({ ...about(), status: 'failed', expected: shown(expected), got: shown(got), ...diagnosis })
    }
    if (!(error instanceof ConnectionError)) throw error
    return done({ ...about(), status: 'failed', expected: 'an answer', got: error.message, ...diagnoses.gateway }, true)
  }
}

async function serverIsGone(): Promise<undefined> {
  throw new Skip('the server does not answer any more')
}
