import type { Page } from '../operation.ts'
import { ProblemError } from '../problems/problem.ts'
import { jsonAnswer } from './answers.ts'

/** Alive: the process answers. Ready: a request with a key would be admitted and answered. */
export const healthPages = (ping: () => Promise<void>, report: (error: unknown) => void): Page[] => {
  const pingOnce = oneAtATime(ping)
  return [
    {
      matches: (path) => path === '/healthz',
      answer: async () => jsonAnswer(200, { status: 'alive' }),
    },
    {
      matches: (path) => path === '/readyz',
      answer: async () => {
        try {
          await pingOnce()
        } catch (error) {
          report(error)
          throw new ProblemError('not_ready', 'The store cannot be reached at the moment.')
        }
        return jsonAnswer(200, { status: 'ready' })
      },
    },
  ]
}

/** However often anyone asks, without a key: the store is asked by one at a time, and the others share its answer. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
