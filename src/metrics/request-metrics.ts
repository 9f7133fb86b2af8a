import type { FinishedRequest, ObserveRequest } from '../api/operation.ts'
import { isOver } from '../keys/quota.ts'
import { catalogue, type ProblemCode, problemCodes } from '../problems/catalogue.ts'
import { boundsOf } from './catalogue.ts'
import { Histogram, type Sample, sample } from './collect.ts'

type Status = FinishedRequest['status']

/** Refusals are caused by the client or by load; other codes are server failures, which show in the status. */
export const refusalCodes: readonly ProblemCode[] = problemCodes.filter(
  (code) => catalogue[code].status < 500 || code === 'overloaded',
)

const add = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

export function requestMetrics() {
  const durations = new Map<string, Map<Status, Histogram>>()
  const parserErrors = new Map<number, number>()
  const refusals = new Map<ProblemCode, number>()
  const quota = new Histogram(boundsOf('vitrine_quota_used_ratio'))
  let admissions = 0

  const observe: ObserveRequest = ({ startedAt, target, status, countedAdmission: counted, refusalCode }) => {
    durationsOf(target, status).observe((performance.now() - startedAt) / 1000)
    if (counted !== undefined) {
      quota.observe(counted.window.used / counted.quota.limit)
      if (!isOver(counted.quota, counted.window)) admissions++
    }
    if (refusalCode !== undefined) add(refusals, refusalCode)
  }

  function durationsOf(target: string, status: Status): Histogram {
    const byStatus = durations.get(target) ?? new Map<Status, Histogram>()
    const histogram = byStatus.get(status)
    if (histogram !== undefined) return histogram
    const created = new Histogram(boundsOf('vitrine_http_request_duration_seconds'))
    durations.set(target, byStatus.set(status, created))
    return created
  }

  function samples(): Sample[] {
    const requests = [...durations].flatMap(([target, byStatus]) =>
      [...byStatus].flatMap(([status, { value }]) => {
        const count = value.counts.reduce((sum, each) => sum + each, 0)
        return [
          sample('vitrine_http_requests_total', count, target, String(status)),
          sample('vitrine_http_request_duration_seconds', value, target, String(status)),
        ]
      }),
    )
    const invalid = [...parserErrors].map(([status, count]) =>
      sample('vitrine_http_requests_total', count, 'invalid', String(status)),
    )
    return [
      ...requests,
      ...invalid,
      sample('vitrine_admissions_total', admissions),
      // From 0, because Prometheus sees an increase only in a series that already exists.
      ...refusalCodes.map((code) => sample('vitrine_refusals_total', refusals.get(code) ?? 0, code)),
      sample('vitrine_quota_used_ratio', quota.value),
    ]
  }

  /** An unparsable request has no start, and hence no duration. */
  const countParserError = (status: number) => add(parserErrors, status)
  return { observe, countParserError, samples }
}
