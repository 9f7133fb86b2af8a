import type { Page } from '../operation.ts'
import { catalogue, type ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { jsonResponse } from './responses.ts'

const PREFIX = '/problems/'

/** What a problem's `type` links to, for programs. People get a page of the site. */
export const problemPages: Page = {
  kind: 'page',
  matches: (path) => path.startsWith(PREFIX),
  async respond({ path }) {
    const code = path.slice(PREFIX.length)
    if (!Object.hasOwn(catalogue, code)) throw new ProblemError('not_found', 'There is no problem of this code.')
    return jsonResponse(200, { code, ...catalogue[code as ProblemCode] })
  },
}
