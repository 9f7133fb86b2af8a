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

  /** If there is no room, one is left out: an earlier one, if that was not refused and this one was. */
  keep(kept: KeptRequests, request: RequestReport, now: number, refused: string | undefined): void {
    const { rows } = kept
    if (rows.length === 0 || (rows.length < MAX_PER_KEY && this.#kept < MAX_IN_ALL)) this.#kept++
    else {
      kept.omitted++
      const replaced = refused === undefined ? -1 : rows.findLastIndex(({ outcome }) => outcome !== 'refused')
      if (replaced < 0) return
      rows.splice(replaced, 1)
    }
    rows.push(toRow(request, now, refused))
  }

  /** For requests that were written. */
  release({ rows }: KeptRequests): void {
    this.#kept -= rows.length
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
