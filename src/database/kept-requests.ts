import { isoOf } from '../lib/instant.ts'
import { productOf } from './caller.ts'
import type { RequestReport } from './store.ts'

/** The requests of one key since the last batch that are to be logged. */
export interface KeptRequests {
  rows: LogRow[]
  /** How many were left out, most of them after the last row. */
  omitted: number
}

type LogRow = ReturnType<typeof toRow>

/** Per batch. Writing a row costs about a third of a request, so these take less than 1 % of a core. */
const MAX_PER_KEY = 30
const MAX_IN_ALL = 500

/** Keeps the first requests of each key, and rather those that were refused. However many there are, each key keeps one. */
export class RequestKeeper {
  #kept = 0

  keep(kept: KeptRequests, request: RequestReport, now: number, refused: string | undefined): void {
    if (this.#makeRoom(kept, refused !== undefined)) kept.rows.push(toRow(request, now, refused))
  }

  /** For a batch that could not be written. */
  merge(earlier: KeptRequests, later: KeptRequests): void {
    this.release(later)
    earlier.omitted += later.omitted
    for (const row of later.rows) if (this.#makeRoom(earlier, row.outcome === 'refused')) earlier.rows.push(row)
  }

  /** For requests that were written or dropped. */
  release({ rows }: KeptRequests): void {
    this.#kept -= rows.length
  }

  /** If there is no room, counts a request that is left out: an earlier one, if that was not refused and the new one was. */
  #makeRoom(kept: KeptRequests, isRefused: boolean): boolean {
    const { rows } = kept
    if (rows.length === 0 || (rows.length < MAX_PER_KEY && this.#kept < MAX_IN_ALL)) {
      this.#kept++
      return true
    }
    kept.omitted++
    const replaced = isRefused ? rows.findLastIndex(({ outcome }) => outcome !== 'refused') : -1
    if (replaced >= 0) rows.splice(replaced, 1)
    return replaced >= 0
  }
}

function toRow(request: RequestReport, now: number, refused: string | undefined) {
  const { requestId, caller, operation, tool, argumentNames, status, errorCode, ms, bytes } = request
  const isFailed = status === 'gone' || status >= 400 || errorCode !== undefined
  return {
    ...{ at: isoOf(now), requestId, operation, tool, arguments: argumentNames, ms, bytes },
    ...{ status: status === 'gone' ? null : status, code: errorCode, reason: refused },
    ...{ outcome: refused !== undefined ? 'refused' : isFailed ? 'failed' : 'ok' },
    ...{ address: caller.address, agent: productOf(caller) || null },
  }
}
