/**
 * src/mcp serves the resources as tools of the Model Context Protocol. It is one operation per path (/mcp, /v1/mcp, /v2/mcp), called
 * by src/http once the key is admitted and counted; there are no sessions and no streams.
 *
 * This file checks everything below the protocol (origin, media type, size), parses the body once (json-rpc.ts), and passes the
 * message to the first of the path's versions that claims it. A version is a folder:
 *   version.ts    reads and checks a request in the published order; protocol-version.ts calls the method and wraps its result
 *   tools.ts      formats its tools, results and errors
 *   contract.ts   its part of the OpenAPI document
 *   errors.ts     its errors and their numbers
 * Calls are handled in one way for all versions:
 *   tools.ts      finds a resource's tool and calls it
 *   arguments.ts  the arguments that a resource declares, as a schema and as canonical values
 *   page-query.ts turns those values into database filters, and dates and words such as `today` into instants (dates.ts)
 *   list-tool.ts  returns a page (bounded-page.ts), counts, or suggestions if nothing matches: cached with an etag, in the
 *                 version's format (result-bytes.ts)
 *   cursor.ts     where the next page begins, in text that clients send back
 * 2025-03-26 returns text, which is REST's body if there are no arguments. 2026-07-28 adds structured content, and limits for models. To
 * remove a version, delete its folder and its line in src/app.ts.
 *
 * Invariants:
 * - Published versions only gain arguments and members in results: test/contract pins both, and contract/ has their tools.
 * - A fault below the protocol is a problem in every version; each version has its own format for protocol errors.
 * - Errors never repeat what a caller sent, except for the id, the version, and names that look like names.
 * - Texts in results are untrusted: 2026-07-28 escapes hidden characters and markup, and lists the members with such texts.
 * - Results are cached as they are sent, under the workspace's revision; a hit copies and escapes nothing.
 * - An etag covers the query and everything that it selects: `unchanged` is never returned if anything in the list changed.
 *
 * Risks: a result that depends on the time must expire with it, as those with a local date do at midnight. All descriptions
 * together must stay within the tokens that test/mcp counts.
 */
import type { PublicRequest } from '../api/http-message.ts'
import type { Operation, OperationContract } from '../api/operation.ts'
import type { Admission } from '../database/admission.ts'
import type { IsForeignOrigin } from '../lib/foreign-origin.ts'
import { reference } from '../lib/schema.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { ProblemError } from '../problems/problem.ts'
import { parseMessage } from './json-rpc.ts'
import { type ProtocolVersion, versionHeaders } from './protocol-version.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** The last version takes requests that no other claims. */
export type Versions = readonly [...ProtocolVersion[], ProtocolVersion]

export function mcpOperation(
  path: string,
  versions: Versions,
  isForeignOrigin: IsForeignOrigin,
  challenge: string,
): Operation {
  const last = versions.at(-1) as ProtocolVersion

  async function respond(request: PublicRequest, admitted: Admission, readmit?: () => Promise<Admission>) {
    const origin = request.header('origin')
    // DNS rebinding: a web page may reach a server that only its visitor can.
    if (origin !== undefined && isForeignOrigin(origin))
      throw new ProblemError('origin_not_allowed', 'The request comes from a web page whose origin is not allowed.')
    checkMediaType(request.header('content-type'), request.header('content-encoding'))
    const body = await request.body(MAX_BODY_BYTES, tooLarge)
    // A key that ended while the body arrived is reported before faults of the body.
    const admission = readmit === undefined ? admitted : await readmit()
    const message = parseMessage(body)
    const version = versions.find(({ claims }) => claims(message, request)) ?? last
    return version.respond(message, request, admission)
  }

  return {
    path,
    problemsHaveInstance: true,
    challenge,
    rateLimitedHeaders(request) {
      const asked = versions.find(({ version }) => version === request.header('mcp-protocol-version')) ?? last
      return versionHeaders(asked.version)
    },
    respond,
    contract: endpointContract(path, versions),
  }
}

const tooLarge = () => new ProblemError('payload_too_large', 'The body is over 1 MiB.')

const JSON_TYPE = /^application\/json\s*(?:;|$)/i
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** Other parameters are allowed; a charset must be UTF-8. */
const isJson = (contentType: string) =>
  JSON_TYPE.test(contentType) && /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? 'utf-8')

function checkMediaType(contentType: string | undefined, contentEncoding: string | undefined): void {
  if (contentType === 'application/json' && contentEncoding === undefined) return
  if (contentType === undefined)
    throw new ProblemError('unsupported_media_type', 'The request has no Content-Type header.')
  if (!isJson(contentType))
    throw new ProblemError('unsupported_media_type', 'The Content-Type is not application/json in UTF-8.')
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity')
    throw new ProblemError('unsupported_media_type', 'Encoded bodies are not accepted.')
}

/** Problems that occur before a version is chosen. */
const transportProblems: readonly ProblemCode[] = [
  'unsupported_media_type',
  'payload_too_large',
  'bad_request',
  'unauthorized',
  'origin_not_allowed',
  'method_not_allowed',
  'rate_limited',
  'internal_error',
  'overloaded',
]

function endpointContract(path: string, versions: readonly ProtocolVersion[]): OperationContract {
  const contracts = versions.map(({ contract }) => contract)
  const embeddedProblems = contracts.find((contract) => contract.embeddedProblems !== undefined)?.embeddedProblems
  return {
    method: 'post',
    operationId: `call${path.replace(/[^a-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())}`,
    tag: 'MCP',
    summary: 'Call the MCP server',
    description: contracts.map(({ description }) => description).join('\n\n'),
    parameters: parametersOf(contracts.flatMap(({ parameters }) => parameters)),
    requestBody: bodyOf(versions, 'request'),
    responses: {
      200: {
        description: 'A JSON-RPC result, or a JSON-RPC error.',
        ...bodyOf(versions, 'response'),
        headers: ['X-Service-Api-Version'],
      },
      202: { description: 'A notification was accepted; the body is empty.', headers: ['X-Service-Api-Version'] },
    },
    problems: [...new Set([...contracts.flatMap(({ problems }) => problems), ...transportProblems])],
    ...(embeddedProblems !== undefined && { embeddedProblems }),
    schemas: Object.assign({}, ...contracts.map(({ schemas }) => schemas)),
  }
}

/** A shared header is described by the newest version, and has the oldest one's example, as the first body does. */
const parametersOf = (parameters: OperationContract['parameters']): OperationContract['parameters'] =>
  [...Map.groupBy(parameters, ({ name }) => name).values()].map((same) =>
    Object.assign({}, ...same, { description: same[0]?.description }),
  )

/**
 * With several versions, each example is named. The oldest comes first: it needs no headers of its own, and ignores those of
 * others, so the first request that a program generates works.
 */
function bodyOf(newestFirst: readonly ProtocolVersion[], part: 'request' | 'response') {
  const versions = newestFirst.toReversed()
  const schemas = versions.flatMap(({ contract }) => contract[part].schemas).map(reference)
  const schema = schemas.length === 1 ? (schemas[0] as object) : { anyOf: schemas }
  if (versions.length === 1) return { schema, example: versions[0]?.contract[part].example }
  return {
    schema,
    examples: Object.fromEntries(versions.map(({ version, contract }) => [version, { value: contract[part].example }])),
  }
}
