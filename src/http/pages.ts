import type { Page } from '../api/operation.ts'
import type { ReservedPath } from '../api/reserved-paths.ts'
import type { PublicStore } from '../database/store.ts'
import type { Logger } from '../lib/logger.ts'
import { ServedFile } from '../lib/served-file.ts'
import { shareConcurrent } from '../lib/share-concurrent.ts'
import { logLine } from '../log-lines.ts'
import { catalogue, type ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { jsonResponse } from './responses.ts'

/** Alive: the process responds. Ready: a request with a valid key would succeed. */
export function healthPages(store: PublicStore, log: Logger, stopping: AbortSignal): Page[] {
  // Probes need no key, so anyone can send many.
  const pingOnce = shareConcurrent(() => store.ping())
  return [
    {
      kind: 'health',
      paths: ['/healthz'],
      respond: async () => jsonResponse(200, { status: 'alive' }),
    },
    {
      kind: 'health',
      paths: ['/readyz'],
      respond: async () => {
        if (stopping.aborted) throw new ProblemError('not_ready', 'The server is about to stop.')
        try {
          await pingOnce()
        } catch (error) {
          logLine(log, 'notReady', { failure: error })
          throw new ProblemError('not_ready', 'The database cannot be reached at the moment.')
        }
        return jsonResponse(200, { status: 'ready' })
      },
    },
  ]
}

/** Generated on the first request, because most servers never get one. */
export function documentPage(path: ReservedPath, document: () => object): Page {
  let file: ServedFile | undefined
  return {
    kind: 'page',
    paths: [path],
    respond(request) {
      file ??= new ServedFile('application/json', JSON.stringify(document()))
      // Clients revalidate each time, which costs only a few bytes.
      return file.respond(request, ['Cache-Control', 'no-cache'])
    },
  }
}

/** A problem's `type` links here. Browsers get an HTML page instead. */
export const problemPages: Page = {
  kind: 'page',
  paths: ['/problems/'],
  async respond({ path }) {
    const code = path.slice('/problems/'.length)
    if (!Object.hasOwn(catalogue, code)) throw new ProblemError('not_found', 'There is no problem with this code.')
    return jsonResponse(200, { code, ...catalogue[code as ProblemCode] })
  },
}
