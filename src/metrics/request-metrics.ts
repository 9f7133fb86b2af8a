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

interface Served {
  count: number
  /** Undefined if no request could be parsed: then none has a start, and hence a duration. */
  durations: Histogram | undefined
}

export function requestMetrics() {
  const served = new Map<string, Map<Status, Served>>()
  const refusals = new Map<ProblemCode, number>()
  const quota = new Histogram(boundsOf('vitrine_quota_used_ratio'))
  let admissions = 0

  const observe: ObserveRequest = ({ startedAt, target, status, countedAdmission: counted, refusalCode }) => {
    const requests = servedOf(target, status)
    requests.count++
    requests.durations ??= new Histogram(boundsOf('vitrine_http_request_duration_seconds'))
    requests.durations.observe((performance.now() - startedAt) / 1000)
    if (counted !== undefined) {
      quota.observe(counted.window.used / counted.quota.limit)
      if (!isOver(counted.quota, counted.window)) admissions++
    }
    if (refusalCode !== undefined) add(refusals, refusalCode)
  }

  function servedOf(target: string, status: Status): Served {
    const byStatus = served.get(target) ?? new Map<Status, Served>()
    const known = byStatus.get(status)
    if (known !== undefined) return known
    const created = { count: 0, durations: undefined }
    served.set(target, byStatus.set(status, created))
    return created
  }

  function samples(): Sample[] {
    const requests = [...served].flatMap(([target, byStatus]) =>
      [...byStatus].flatMap(([status, { count, durations }]) => [
        sample('vitrine_http_requests_total', count, target, String(status)),
        ...(durations
          ? [sample('vitrine_http_request_duration_seconds', durations.value, target, String(status))]
          : []),
      ]),
    )
    return [
      ...requests,
      sample('vitrine_admissions_total', admissions),
      // From 0, because Prometheus sees an increase only in a series that already exists.
      ...refusalCodes.map((code) => sample('vitrine_refusals_total', refusals.get(code) ?? 0, code)),
      sample('vitrine_quota_used_ratio', quota.value),
    ]
  }

  const countParserError = (status: number) => {
    servedOf('invalid', status).count++
  }
  return { observe, countParserError, samples }
}
