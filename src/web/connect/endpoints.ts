/**
 * The OAuth endpoints that programs call: registration (RFC 7591), token (RFC 6749) and revocation (RFC 7009). People see
 * /oauth/authorize, which is a page.
 *
 * - Errors are OAuth's JSON, since clients parse it; src/http formats failures the same way. Only a wrong method is a problem.
 * - There is no CORS: a token in a web page could be read by every script on that page.
 * - All clients are public. They prove themselves with PKCE, so there is no client secret to send or to lose.
 * - Requests that name no connection of ours are limited by network, and the others by connection: junk from a network must not
 *   block token refreshes from it.
 * - Descriptions, log lines and metrics contain nothing that a client sent.
 */
import { isUtf8 } from 'node:buffer'
import type { HttpResponse, PrivateRequest } from '../../api/http-message.ts'
import { OAuthParameters } from '../../connections/authorization.ts'
import { registerClient, registrationOf } from '../../connections/client.ts'
import type { ConnectionStep } from '../../connections/oauth-error.ts'
import { OAuthError, type OAuthErrorCode } from '../../connections/oauth-error.ts'
import {
  connectionOf,
  connectionOfCode,
  ReuseError,
  redeemCode,
  refresh,
  revokeToken,
} from '../../connections/tokens.ts'
import { StoreBusyError } from '../../database/errors.ts'
import type { Transaction } from '../../database/store.ts'
import { parseJson } from '../../lib/json-text.ts'
import { ProblemError } from '../../problems/problem.ts'
import type { RequestContext } from '../context.ts'
import { mediaTypeOf } from '../form.ts'
import { protectedJsonResponse } from '../responses.ts'

/** `respond` fills it in. */
interface ConnectionAttempt {
  step: ConnectionStep
  keyId?: string
  /** Set if the request names a connection of ours, or a code for one. */
  connection?: string | undefined
}

interface Endpoint {
  /** A request to the token endpoint may turn out to be a refresh. */
  step: Exclude<ConnectionStep, 'consent' | 'refresh'>
  respond(context: RequestContext, attempt: ConnectionAttempt): Promise<HttpResponse>
}

const endpoints: Record<string, Endpoint> = {
  '/oauth/register': { step: 'registration', respond: register },
  '/oauth/token': { step: 'code', respond: issueTokens },
  '/oauth/revoke': { step: 'revocation', respond: revoke },
}

export const endpointAt = (path: string): Endpoint | undefined =>
  Object.hasOwn(endpoints, path) ? endpoints[path] : undefined

export async function respondToProgram(context: RequestContext, { step, respond }: Endpoint): Promise<HttpResponse> {
  const { request, requestLimits } = context
  if (request.method !== 'POST')
    throw new ProblemError('method_not_allowed', 'Only POST is allowed here.', undefined, ['Allow', 'POST'])
  const attempt: ConnectionAttempt = { step }
  try {
    const response = await respond(context, attempt).catch(oauthErrorIn)
    const isCounted = attempt.connection !== undefined
    const seconds = isCounted ? 0 : requestLimits.secondsToWait(step, request.caller.address)
    if (seconds > 0) throw tooMany(seconds, 'from this network')
    if (response instanceof OAuthError) throw response
    context.observeConnection(attempt.step, 'ok', attempt.keyId)
    return response
  } catch (error) {
    if (error instanceof OAuthError) {
      if (error instanceof ReuseError) context.observeConnection(attempt.step, 'reused', error.key.id)
      else context.observeConnection(attempt.step, error.code)
      return protectedJsonResponse(error.status, { error: error.code, error_description: error.message }, error.headers)
    }
    const outcome = error instanceof StoreBusyError ? 'temporarily_unavailable' : 'server_error'
    // The HTTP layer knows that the client has disconnected.
    if (!request.isGone) context.observeConnection(attempt.step, outcome)
    throw error
  }
}

function oauthErrorIn(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error
  throw error
}

function tooMany(seconds: number, where: string): OAuthError {
  const description = `There were too many requests ${where}. Try again in ${seconds} s.`
  return new OAuthError('temporarily_unavailable', description, 429, ['Retry-After', String(seconds)])
}

async function register({ request }: RequestContext): Promise<HttpResponse> {
  const body = await readBody(request, 'application/json', 'invalid_client_metadata')
  const metadata = isUtf8(body) ? parseJson(body.toString()) : undefined
  return protectedJsonResponse(201, registrationOf(registerClient(metadata)))
}

async function issueTokens(context: RequestContext, attempt: ConnectionAttempt): Promise<HttpResponse> {
  const parameters = await readParameters(context.request)
  const grantType = parameters.required('grant_type')
  if (grantType === 'refresh_token') attempt.step = 'refresh'
  else if (grantType !== 'authorization_code')
    throw new OAuthError('unsupported_grant_type', 'The grant types are authorization_code and refresh_token.')
  parameters.checkResource(context.config.publicUrl)
  const clientId = parameters.required('client_id')
  const { find, issue } =
    grantType === 'refresh_token' ? refreshing(parameters, clientId) : redeeming(parameters, clientId)
  // An error is returned, not thrown: what it revoked must stay revoked.
  const issued = await withConnection(context, attempt, find, issue)
  if (issued instanceof OAuthError) throw issued
  attempt.keyId = issued.key.id
  return protectedJsonResponse(200, issued.response)
}

/** Both read their parameters first, so that a request that lacks one opens no transaction. */
function refreshing(parameters: OAuthParameters, clientId: string) {
  const request = { clientId, refreshToken: parameters.required('refresh_token'), scope: parameters.get('scope') }
  return {
    find: (tx: Transaction) => connectionOf(tx, request.refreshToken),
    issue: (tx: Transaction) => refresh(tx, request),
  }
}

function redeeming(parameters: OAuthParameters, clientId: string) {
  const [code, codeVerifier] = [parameters.required('code'), parameters.required('code_verifier')]
  const request = { clientId, code, codeVerifier, redirectUri: parameters.get('redirect_uri') }
  return {
    find: (tx: Transaction) => connectionOfCode(tx, request),
    issue: (tx: Transaction) => redeemCode(tx, request),
  }
}

/** An unknown token is already as good as revoked (RFC 7009, 2.2). */
async function revoke(context: RequestContext, attempt: ConnectionAttempt): Promise<HttpResponse> {
  const parameters = await readParameters(context.request)
  const request = { token: parameters.required('token'), clientId: parameters.get('client_id') }
  const find = (tx: Transaction) => connectionOf(tx, request.token)
  const key = await withConnection(context, attempt, find, (tx) => revokeToken(tx, request))
  if (key !== undefined) attempt.keyId = key.id
  return protectedJsonResponse(200, {})
}

/** Anyone can invent tokens: only an issued one opens a transaction that can write. */
async function withConnection<T>(
  { store, requestLimits }: RequestContext,
  attempt: ConnectionAttempt,
  find: (tx: Transaction) => Promise<string | undefined>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const connection = await store.read(find)
  if (connection === undefined) return store.read(work)
  attempt.connection = connection
  const seconds = requestLimits.secondsToWaitFor('connection', connection)
  if (seconds > 0) throw tooMany(seconds, 'of this connection')
  return store.transaction(work)
}

async function readParameters(request: PrivateRequest): Promise<OAuthParameters> {
  const challenge = ['WWW-Authenticate', 'Basic realm="vitrine"']
  if (/^basic\b/i.test(request.header('authorization') ?? ''))
    throw new OAuthError('invalid_client', 'Clients have no secret here: send only client_id.', 401, challenge)
  const body = await readBody(request, 'application/x-www-form-urlencoded', 'invalid_request')
  // Latin-1 keeps bytes that are not ASCII recognisable, whatever they encode.
  return new OAuthParameters(new URLSearchParams(body.toString('latin1')))
}

const MAX_BYTES = 16 * 1024

async function readBody(request: PrivateRequest, type: string, code: OAuthErrorCode): Promise<Buffer> {
  if (mediaTypeOf(request) !== type) throw new OAuthError(code, `Send the body as ${type}.`)
  return request.body(MAX_BYTES, () => new OAuthError(code, 'The body is over 16 KiB.'))
}
