import { ProblemError } from '../problems/problem.ts'
import { jsonAnswer, type Page } from './page.ts'

/** Alive: the process answers. Ready: so does its store. */
export const healthPages = (ping: () => Promise<void>, report: (error: unknown) => void): Page[] => [
  {
    matches: (path) => path === '/healthz',
    answer: async () => jsonAnswer(200, { status: 'alive' }),
  },
  {
    matches: (path) => path === '/readyz',
    answer: async () => {
      try {
        await ping()
      } catch (error) {
        report(error)
        throw new ProblemError('not_ready', 'The store cannot be reached at the moment.')
      }
      return jsonAnswer(200, { status: 'ready' })
    },
  },
]
