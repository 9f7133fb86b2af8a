import type { HttpResponse, PublicRequest } from '../api/http-message.ts'
import type { Operation } from '../api/operation.ts'
import type { Admission } from '../database/admission.ts'
import { matchesEtag } from '../lib/http-headers.ts'
import { ProblemError } from '../problems/problem.ts'
import { operationIdOf, type Resource } from '../resources/define.ts'
import { createBodyReader, type ResponseCache, type ServedBody, unavailableBody } from '../resources/response-cache.ts'

export function restOperation(resource: Resource, cache: ResponseCache): Operation {
  const readBody = createBodyReader(resource, cache)
  const unavailable = unavailableBody(resource)
  const headers = ['ETag', 'Cache-Control', ...(resource.list === undefined ? [] : ['X-Total-Count'])]
  async function respond(request: PublicRequest, admission: Admission): Promise<HttpResponse> {
    if (!admission.permissions.has(resource.permission))
      throw new ProblemError('forbidden', `The key lacks the permission ${resource.permission}.`)
    return toResponse(request, (await readBody(admission)) ?? unavailable)
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
          headers,
        },
        304: { description: 'Not modified since the response with this ETag.', headers },
      },
      problems: [
        'unauthorized',
        'forbidden',
        ...(resource.list === undefined ? (['workspace_not_found'] as const) : []),
        'method_not_allowed',
        'rate_limited',
        'internal_error',
        'overloaded',
        ...(resource.inPlace === undefined ? [] : (['source_unavailable'] as const)),
      ],
      schemas: resource.schemas,
    },
  }
}

function toResponse(request: PublicRequest, body: ServedBody | undefined): HttpResponse {
  if (body === undefined)
    throw new ProblemError('workspace_not_found', 'The workspace of this key was archived or deleted.')
  const more = body.total === undefined ? [] : ['X-Total-Count', String(body.total)]
  const caching = ['ETag', body.etag, 'Cache-Control', 'private, no-cache', ...more]
  if (matchesEtag(request.header('if-none-match'), body.etag)) return { status: 304, headers: caching, body: [] }
  return { status: 200, headers: ['Content-Type', 'application/json', ...caching], body: [body.bytes] }
}
