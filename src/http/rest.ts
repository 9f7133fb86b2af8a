import type { HttpResponse, PublicRequest } from '../api/http-message.ts'
import type { Operation } from '../api/operation.ts'
import type { Admission } from '../database/admission.ts'
import { headerLines } from '../lib/header-lines.ts'
import { matchesEtag } from '../lib/http-headers.ts'
import { type MaybePromise, whenReady } from '../lib/maybe-promise.ts'
import { ProblemError } from '../problems/problem.ts'
import { operationIdOf, type Resource } from '../resources/define.ts'
import { createBodyReader, type ResponseCache, type ServedBody } from '../resources/response-cache.ts'
import { toChunks } from './responses.ts'

export function restOperation(resource: Resource, cache: ResponseCache): Operation {
  const readResource = createBodyReader(resource, cache)
  function respond(request: PublicRequest, admission: Admission): MaybePromise<HttpResponse> {
    if (!admission.permissions.has(resource.permission))
      throw new ProblemError('forbidden', `The key lacks the permission ${resource.permission}.`)
    return whenReady(readResource(admission), (body) => toResponse(request, body))
  }

  return {
    path: resource.path,
    respond,
    contract: {
      method: 'get',
      operationId: operationIdOf(resource),
      tag: 'REST',
      summary: resource.summary,
      description: `${resource.description} Needs the permission \`${resource.permission}\`.`,
      parameters: [
        {
          name: 'If-None-Match',
          in: 'header',
          required: false,
          description: 'The ETag of an earlier response; if it still matches, the response is 304 without a body.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description: resource.summary,
          schema: resource.body,
          example: resource.example,
          headers: ['ETag', 'Cache-Control'],
        },
        304: { description: 'Not modified since the response with this ETag.', headers: ['ETag', 'Cache-Control'] },
      },
      problems: [
        'unauthorized',
        'forbidden',
        ...(resource.list === undefined ? (['workspace_not_found'] as const) : []),
        'method_not_allowed',
        'rate_limited',
        'internal_error',
        'overloaded',
      ],
      schemas: resource.schemas,
    },
  }
}

const JSON_TYPE = headerLines(['Content-Type', 'application/json'])

/** Created once per body, since most requests find it in the cache. */
const responses = new WeakMap<ServedBody, ReturnType<typeof createResponses>>()

function createResponses(body: ServedBody) {
  const caching = headerLines(['ETag', body.etag, 'Cache-Control', 'private, no-cache'])
  const created = {
    full: { status: 200, headers: [], lines: JSON_TYPE + caching, body: toChunks([body.bytes]) },
    notModified: { status: 304, headers: [], lines: caching, body: [] },
  }
  responses.set(body, created)
  return created
}

function toResponse(request: PublicRequest, body: ServedBody | undefined): HttpResponse {
  if (body === undefined)
    throw new ProblemError('workspace_not_found', 'The workspace of this key was archived or deleted.')
  const { full, notModified } = responses.get(body) ?? createResponses(body)
  return matchesEtag(request.header('if-none-match'), body.etag) ? notModified : full
}
