import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Admission } from '../database/store.ts'
import { logLine } from '../log-lines.ts'
import type { ApiRequest, Operation, PublicApi, PublicRequest } from '../operation.ts'
import { pairsOf } from './in-process.ts'
import { describeFailure } from './logging.ts'

/**
 * Runs operations for permissions that no key needs to have. The operations must keep nothing: a preview does not know the revision of
 * what it reads, so each has a number of its own, and none shares what another read.
 */
export function createPreview(operations: () => readonly Operation[], log: Logger): PublicApi['preview'] {
  let previews = 0
  return async ({ permissions, ...access }, request) => {
    const operation = operations().find(({ path }) => path === request.path)
    if (operation === undefined) throw new Error('only operations of the public API are previewed')
    const admission: Admission = {
      ...access,
      ...UNCOUNTED,
      keyId: 'preview',
      permissions: new Set(permissions),
      revision: ++previews,
    }
    const { status, headers, body } = await operation.respond(
      publicRequest(request, log),
      admission,
      async () => admission,
    )
    const bytes = body.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))
    return { status, headers: pairsOf(headers), body: Buffer.concat(bytes) }
  }
}

const UNCOUNTED = { quota: { limit: 1, windowSeconds: 1 }, window: { used: 0, resetsAt: 0 } }

function publicRequest({ method, headers, body = '' }: ApiRequest, log: Logger): PublicRequest {
  const requestId = randomUUID()
  return {
    method,
    requestId,
    arrivedComplete: true,
    header: (name) => headers[name],
    body: () => Buffer.from(body),
    report: (error) => logLine(log, 'previewFailed', { requestId, failure: describeFailure(error) }),
    noteForbidden() {},
    noteTraceparent() {},
  }
}
