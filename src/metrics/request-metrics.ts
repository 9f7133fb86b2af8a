import type { ObserveRequest } from '../api/operation.ts'
import { isOver } from '../keys/quota.ts'
import { catalogue, type ProblemCode, problemCodes } from '../problems/catalogue.ts'
import { boundsOf } from './catalogue.ts'
import { Histogram, type Sample, sample } from './collect.ts'

type Status = number | 'gone'

/** Refusals are caused by the client or by load; other codes are server failures, which show in the status. */
export const refusalCodes: readonly ProblemCode[] = problemCodes.filter(
  (code) => catalogue[code].status < 500 || code === 'overloaded',
)

const add = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

export class RequestMetrics {
  readonly #durations = new Map<string, Map<Status, Histogram>>()
  readonly #parserErrors = new Map<number, number>()
  readonly #refusals = new Map<ProblemCode, number>()
  readonly #quota = new Histogram(boundsOf('vitrine_quota_used_ratio'))
  #admissions = 0

  readonly observe: ObserveRequest = (outcome, status) => {
    const seconds = (performance.now() - outcome.startedAt) / 1000
    const { target, counted, refusalCode } = outcome
    this.#durationsOf(target, status).observe(seconds)
    if (counted !== undefined) {
      this.#quota.observe(counted.window.used / counted.quota.limit)
      if (!isOver(counted.quota, counted.window)) this.#admissions++
    }
    if (refusalCode !== undefined) add(this.#refusals, refusalCode)
  }

  /** An unparsable request has no start, and hence no duration. */
  readonly countParserError = (status: number): void => {
    add(this.#parserErrors, status)
  }

  #durationsOf(target: string, status: Status): Histogram {
    const byStatus = this.#durations.get(target) ?? new Map<Status, Histogram>()
    const histogram = byStatus.get(status)
    if (histogram !== undefined) return histogram
    const created = new Histogram(boundsOf('vitrine_http_request_duration_seconds'))
    this.#durations.set(target, byStatus.set(status, created))
    return created
  }

  samples(): Sample[] {
    const samples: Sample[] = []
    for (const [target, byStatus] of this.#durations)
      for (const [status, { value }] of byStatus) {
        const count = value.counts.reduce((sum, each) => sum + each, 0)
        samples.push(sample('vitrine_http_requests_total', count, target, String(status)))
        samples.push(sample('vitrine_http_request_duration_seconds', value, target, String(status)))
      }
    for (const [status, count] of this.#parserErrors)
      samples.push(sample('vitrine_http_requests_total', count, 'invalid', String(status)))
    samples.push(sample('vitrine_admissions_total', this.#admissions))
    // From 0, because Prometheus sees an increase only in a series that already exists.
    for (const code of refusalCodes) samples.push(sample('vitrine_refusals_total', this.#refusals.get(code) ?? 0, code))
    samples.push(sample('vitrine_quota_used_ratio', this.#quota.value))
    return samples
  }
}
