import type { Page } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { jsonResponse } from './responses.ts'

interface Health {
  ping(): Promise<void>
  isStopping(): boolean
  report(error: unknown): void
}

/** Alive: the process responds. Ready: a request with a key would be admitted and answered, and so will the next one. */
export const healthPages = ({ ping, isStopping, report }: Health): Page[] => {
  const pingOnce = shareConcurrent(ping)
  return [
    {
      kind: 'health',
      matches: (path) => path === '/healthz',
      respond: async () => jsonResponse(200, { status: 'alive' }),
    },
    {
      kind: 'health',
      matches: (path) => path === '/readyz',
      respond: async () => {
        if (isStopping()) throw new ProblemError('not_ready', 'The server is about to stop.')
        try {
          await pingOnce()
        } catch (error) {
          report(error)
          throw new ProblemError('not_ready', 'The store cannot be reached at the moment.')
        }
        return jsonResponse(200, { status: 'ready' })
      },
    },
  ]
}

/** Needs no key, so anyone may send many: concurrent probes share one check of the store. */
function shareConcurrent(work: () => Promise<void>): () => Promise<void> {
  let pending: Promise<void> | undefined
  return () => {
    pending ??= work().finally(() => {
      pending = undefined
    })
    return pending
  }
}
