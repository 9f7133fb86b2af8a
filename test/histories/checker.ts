import type { Event, History, Request, Span, Write } from './history.ts'

export interface Violation {
  rule: string
  event: Event
  /** The event that violates the rule. */
  because: Event | undefined
}

/** Two clocks of one machine may drift apart by this much in a window. */
const CLOCK_SLACK_MS = 50

/** Statuses that a request may get while parts of the system are broken. */
const FAILURES = [500, 502, 503, 504, 408]

const isSuccess = ({ status }: Request) => status >= 200 && status < 400

/** Everything in a history that violates the service's promises. */
export function violationsIn(history: History): Violation[] {
  const requests = history.events.filter((event) => event.kind === 'request')
  return [
    ...wrongResponses(requests),
    ...staleReads(history, requests),
    ...lateSuccesses(history, requests),
    ...wrongRefusals(history, requests),
    ...exceededQuotas(history, requests),
  ]
}

function wrongResponses(requests: readonly Request[]): Violation[] {
  const isKnown = ({ status }: Request) => [200, 202, 304, 401, 429, ...FAILURES].includes(status)
  return requests
    .filter((request) => request.wrongBody !== undefined || !isKnown(request))
    .map((event) => ({ rule: event.wrongBody ?? `an unexpected response: ${event.status}`, event, because: undefined }))
}

/**
 * A read returns a written value, not before its write began, and at least as new as everything that was
 * acknowledged, or read by anyone, before the read began.
 */
function staleReads({ events }: History, requests: readonly Request[]): Violation[] {
  const violations: Violation[] = []
  const registers = new Set(requests.flatMap(({ register }) => (register === undefined ? [] : [register])))
  for (const register of registers) {
    const writes = events.filter((event): event is Write => event.kind === 'write' && event.register === register)
    const byValue = new Map(writes.map((write) => [write.value, write]))
    const reads = requests.filter((request) => request.register === register && request.value !== undefined)
    const known = [...writes, ...reads].sort((a, b) => a.end - b.end)
    let next = 0
    let newest: Write | Request | undefined
    for (const read of reads.toSorted((a, b) => a.begin - b.begin)) {
      for (let one = known[next]; one !== undefined && one.end < read.begin; one = known[++next])
        if (newest === undefined || (one.value ?? 0) > (newest.value ?? 0)) newest = one
      const value = read.value ?? 0
      const write = byValue.get(value)
      if (value !== 0 && (write === undefined || write.begin > read.end))
        violations.push({ rule: 'a value before its write', event: read, because: write })
      if (newest !== undefined && value < (newest.value ?? 0))
        violations.push({
          rule:
            newest.kind === 'write' ? 'a read older than an acknowledged change' : 'a read older than one before it',
          event: read,
          because: newest,
        })
    }
  }
  return violations
}

/** A request with a key whose revocation was acknowledged before it began gets 401, or a failure. */
function lateSuccesses({ events }: History, requests: readonly Request[]): Violation[] {
  const revoked = new Map<string, Event>()
  for (const event of events) if (event.kind === 'revocation') revoked.set(event.key, event)
  return requests.flatMap((event): Violation[] => {
    const because = revoked.get(event.key)
    if (because === undefined || event.begin <= because.end) return []
    if (isSuccess(event)) return [{ rule: 'a success after an acknowledged revocation', event, because }]
    if (event.status === 401 || FAILURES.includes(event.status)) return []
    return [{ rule: 'a revoked key that gets something other than 401', event, because }]
  })
}

/** A key whose creation was acknowledged, and whose revocation had not even begun, is not refused. */
function wrongRefusals({ events }: History, requests: readonly Request[]): Violation[] {
  const begun = new Map<string, number>()
  const created = new Map<string, Event>()
  for (const event of events) {
    if (event.kind === 'revocation') begun.set(event.key, Math.min(event.begin, begun.get(event.key) ?? event.begin))
    if (event.kind === 'creation') created.set(event.key, event)
  }
  return requests
    .filter(({ key, status, begin, end }) => {
      const creation = created.get(key)
      return (
        status === 401 &&
        creation !== undefined &&
        creation.end < begin &&
        end < (begun.get(key) ?? Number.POSITIVE_INFINITY)
      )
    })
    .map((event) => ({ rule: 'a live key that is refused', event, because: created.get(event.key) }))
}

/**
 * Windows are fixed, and each is opened by the first request after the previous one has ended: their ends are at least a
 * window apart. So requests whose windows all end within less than a window share one window: they are at most as many
 * as the quota, and no two have the same place in it. And less than a window of time holds parts of at most two windows.
 */
function exceededQuotas({ events, quotas }: History, requests: readonly Request[]): Violation[] {
  const forgettings = events.filter((event) => event.kind === 'forgetting').sort((a, b) => a.begin - b.begin)
  const violations: Violation[] = []
  for (const [key, { limit, windowSeconds }] of Object.entries(quotas)) {
    const windowMs = windowSeconds * 1000 - CLOCK_SLACK_MS
    const passed = requests.filter((request) => request.key === key && isSuccess(request))
    for (const epoch of epochsOf(passed, forgettings)) {
      violations.push(
        ...exceeding(
          'more successes than two windows hold',
          epoch.map((request) => ({ request, from: request.begin, to: request.end })),
          windowMs,
          2 * limit,
        ),
      )
      const ends = epoch.flatMap((request) => {
        const { resetSeconds } = request
        if (resetSeconds === undefined) return []
        return [{ request, from: request.begin + (resetSeconds - 1) * 1000, to: request.end + resetSeconds * 1000 }]
      })
      violations.push(...exceeding('more successes than the quota in one window', ends, windowMs, limit))
      violations.push(...samePlaces(ends, windowMs))
    }
  }
  return violations
}

interface Placed {
  request: Request
  /** The relevant moment lies between these. */
  from: number
  to: number
}

/** All requests that certainly happened less than a window after the first one's earliest possible moment. */
function* together(placed: readonly Placed[], windowMs: number): Generator<Placed[]> {
  const sorted = placed.toSorted((a, b) => a.from - b.from)
  for (const [i, first] of sorted.entries()) {
    const group: Placed[] = []
    for (let at = i; at < sorted.length; at++) {
      const one = sorted[at] as Placed
      if (one.from >= first.from + windowMs) break
      if (one.to < first.from + windowMs) group.push(one)
    }
    yield group
  }
}

function exceeding(rule: string, placed: readonly Placed[], windowMs: number, most: number): Violation[] {
  for (const group of together(placed, windowMs)) {
    const last = group[most]
    if (last !== undefined) return [{ rule, event: last.request, because: group[0]?.request }]
  }
  return []
}

function samePlaces(placed: readonly Placed[], windowMs: number): Violation[] {
  for (const group of together(placed, windowMs)) {
    const taken = new Map<number | undefined, Request>()
    for (const { request } of group) {
      const other = taken.get(request.remaining)
      if (other !== undefined)
        return [{ rule: 'one place in a window for two requests', event: request, because: other }]
      taken.set(request.remaining, request)
    }
  }
  return []
}

/** Requests that certainly fall between two moments at which windows may have been forgotten. */
function epochsOf(requests: readonly Request[], forgettings: readonly Span[]): Request[][] {
  const bounds = [-Infinity, ...forgettings.map(({ end }) => end)]
  return bounds.map((from, i) => {
    const to = forgettings[i]?.begin ?? Number.POSITIVE_INFINITY
    return requests.filter(({ begin, end }) => begin > from && end < to)
  })
}
