import { randomBytes } from 'node:crypto'
import { isObject } from '../lib/checker.ts'
import { parseJson } from '../lib/json-text.ts'
import { toName } from '../lib/plain-text.ts'
import { OAuthError } from './oauth-error.ts'
import { destinationOf, redirectUriError, withoutLoopbackPort } from './redirect-uri.ts'

/** A program that asks a person for access. Its name is a claim; only the hosts are certain. */
export interface Client {
  id: string
  name: string
  redirectUris: readonly string[]
  /** The host whose metadata document describes it. Null if the client registered itself. */
  documentHost: string | null
}

const MAX_REDIRECT_URIS = 32
const MAX_NAME_LENGTH = 100
/** A person may have to sign in first. Meanwhile the whole request is in a cookie. */
const MAX_ID_LENGTH = 1500
const ID_VERSION = 1

/**
 * A registered client's id is its metadata, so registering stores nothing: strangers can fill nothing, and every replica
 * knows every client. The ids need no signature, because anyone could register the same.
 */
export function registerClient(metadata: unknown): Client {
  const described = readMetadata(metadata)
  const id = encodeId(randomBytes(9).toString('base64url'), described)
  if (id.length > MAX_ID_LENGTH)
    throw new OAuthError('invalid_client_metadata', 'The name and the redirect URIs are too long. Register fewer URIs.')
  return { id, ...described, documentHost: null }
}

/** Undefined if registration cannot have issued this id. */
export function registeredClient(id: string): Client | undefined {
  if (id.length > MAX_ID_LENGTH) return undefined
  const fields = parseJson(Buffer.from(id, 'base64url').toString())
  if (!Array.isArray(fields)) return undefined
  const [, nonce, client_name, redirect_uris] = fields
  if (typeof nonce !== 'string' || !/^[\w-]{12}$/.test(nonce)) return undefined
  try {
    const described = readMetadata({ client_name, redirect_uris })
    return encodeId(nonce, described) === id ? { id, ...described, documentHost: null } : undefined
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

type ClientMetadata = Pick<Client, 'name' | 'redirectUris'>

const encodeId = (nonce: string, { name, redirectUris }: ClientMetadata): string =>
  Buffer.from(JSON.stringify([ID_VERSION, nonce, name, redirectUris])).toString('base64url')

/** RFC 7591, 3.2.1: the response states the metadata as registered. Every client is public, whatever it asked for. */
export const registrationOf = ({ id, name, redirectUris }: Client) => ({
  client_id: id,
  client_name: name,
  redirect_uris: redirectUris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

/** Unknown members are ignored, as RFC 7591, 2 demands. */
export function readMetadata(metadata: unknown): ClientMetadata {
  if (!isObject(metadata)) throw new OAuthError('invalid_client_metadata', 'The metadata must be a JSON object.')
  const { redirect_uris: uris, client_name: name, grant_types: grants, response_types: responses } = metadata
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS)
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URIs.`)
  for (const [index, uri] of uris.entries()) {
    const error = redirectUriError(uri)
    if (error !== undefined) throw new OAuthError('invalid_redirect_uri', `redirect_uris[${index}] ${error}.`)
  }
  requireOption('grant_types', grants, 'authorization_code')
  requireOption('response_types', responses, 'code')
  const redirectUris = [...new Set<string>(uris)]
  return { name: nameOf(name, redirectUris), redirectUris }
}

function requireOption(field: string, options: unknown, needed: string): void {
  const isOffered = (options ?? undefined) === undefined || (Array.isArray(options) && options.includes(needed))
  if (!isOffered) throw new OAuthError('invalid_client_metadata', `${field} must be a list that contains ${needed}.`)
}

function nameOf(claimed: unknown, [first = '']: readonly string[]): string {
  const candidates = [typeof claimed === 'string' ? claimed : '', destinationOf(first).host, 'Unnamed client']
  return candidates.map((name) => toName(name, MAX_NAME_LENGTH)).find((name) => name !== '') ?? ''
}

/** Returns the URI to redirect to; undefined if the client has not registered it. */
export function matchRedirect({ redirectUris }: Client, wanted: string | undefined): string | undefined {
  if (wanted === undefined) return redirectUris.length === 1 ? redirectUris[0] : undefined
  if (redirectUriError(wanted) !== undefined) return undefined
  const portless = withoutLoopbackPort(wanted)
  return redirectUris.some((uri) => withoutLoopbackPort(uri) === portless) ? wanted : undefined
}

/** `localhost` stands for every loopback host. */
export function checkDestination(redirectUri: string, allowed: readonly string[]): void {
  const { kind, host } = destinationOf(redirectUri)
  checkHost(kind === 'loopback' ? 'localhost' : host, allowed)
}

/** `allowed` is CONNECT_CLIENTS: hosts, and schemes with their colon; empty if any may connect. */
export function checkHost(host: string, allowed: readonly string[]): void {
  if (allowed.length === 0 || allowed.includes(host)) return
  const description = `Programs from ${host} may not connect here. The operator can add it to CONNECT_CLIENTS.`
  throw new OAuthError('invalid_client', description, 403)
}
