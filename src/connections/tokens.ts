import { hkdfSync, randomBytes } from 'node:crypto'
import { insertRow } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { KeyChangeError, Keys, type NewKey } from '../keys/life-cycle.ts'
import { findKey, type KeyClient, type KeyRecord, lockKey, updateKey } from '../keys/records.ts'
import { endOf, isOpen } from '../keys/state.ts'
import { DAY_MS, HOUR_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { createToken, hashToken, toToken } from '../lib/key-format.ts'
import { localDate, zoneNamed } from '../lib/local-dates.ts'
import { createSecret, hashSecret, isSameSecret } from '../lib/secret.ts'
import { actorOf, isManager } from '../members/roles.ts'
import { deleteExpired, lockMemberships } from '../members/sessions.ts'
import { findTicket, insertTicket, takeTicket } from '../members/tickets.ts'
import { findWorkspace, findWorkspaceById } from '../workspaces/records.ts'
import { OAuthError } from './oauth-error.ts'
import { countRefreshTokens, findToken, insertTokens, replaceToken } from './records.ts'

const CODE_MS = 60_000
const ACCESS_MS = HOUR_MS
const REFRESH_MS = 30 * DAY_MS
/** For a client that did not get the response, and for two that refresh at once. */
const REPEAT_MS = 60_000
/** Bounds the tokens that are stored. None is forgotten early: a thief could refresh until a second use went unnoticed. */
const MAX_REFRESHES_PER_HOUR = 60

/** For changes that follow from what a client sent, not from what a person did. */
const ACTOR = 'connections'

export type IssuedTokens = ReturnType<typeof issuedTokens>

/** The connection was revoked, because a code or refresh token was used a second time. */
export class ReuseError extends OAuthError {
  override name = 'ReuseError'
  readonly key: KeyRecord

  constructor(key: KeyRecord, what: 'code' | 'refresh token') {
    super('invalid_grant', `The ${what} was used before, so the connection has been revoked. Connect again.`)
    this.key = key
  }
}

const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)
/** Clients forget their tokens on invalid_grant, but these will work again. */
const notNow = (description: string) => new OAuthError('temporarily_unavailable', description)
const tooOften = () =>
  new OAuthError('temporarily_unavailable', 'The connection was refreshed too often.', 429, ['Retry-After', '60'])

/** What a person has consented to. It becomes a key when the client redeems its code. */
export interface Grant {
  client: KeyClient
  /** As the client sent it, because it has to send the same again. */
  redirectUri: string
  /** RFC 7636, always S256. */
  codeChallenge: string
  workspaceSlug: string
  /** The person. If their session was opened by another person's sign-in link, `linkBy` names the chain. */
  email: string
  linkBy: string | null
  key: NewKey
}

export async function issueCode(tx: Transaction, grant: Grant): Promise<string> {
  const code = createSecret()
  const detail = { grant: JSON.stringify(grant) }
  await deleteExpired(tx)
  await insertTicket(tx, { hash: hashSecret(code), kind: 'code', subject: grant.email, detail }, CODE_MS)
  return code
}

export interface CodeRequest {
  clientId: string
  code: string
  /** If sent, must equal that of the authorization request. OAuth 2.1 dropped it. */
  redirectUri: string | undefined
  codeVerifier: string
}

export async function redeemCode(tx: Transaction, request: CodeRequest): Promise<IssuedTokens | OAuthError> {
  const taken = await takeGrant(tx, hashSecret(request.code))
  if (taken === undefined) {
    const used = await lockConnection(tx, usedCodeHash(request))
    return used?.token.kind === 'code' && isOpen(used.key, tx.nowMs)
      ? revokeReused(tx, used.key, 'code')
      : invalidGrant('The code is unknown, has expired, or was used before. Connect again.')
  }
  const { grant, mayConnect } = taken
  const fault = mismatch(grant, request)
  if (fault !== undefined) return invalidGrant(fault)
  if (!mayConnect)
    return invalidGrant('The person who connected may no longer create keys in this workspace, or it is archived.')
  const key = await createKey(tx, grant)
  if (key === undefined) return invalidGrant('The workspace cannot have more keys. Revoke some, then connect again.')
  const tokens = { access: createToken(), refresh: createToken() }
  const usedCode = {
    hash: usedCodeHash(request),
    keyId: key.id,
    kind: 'code',
    expiresAt: isoOf(tx.nowMs + REFRESH_MS),
  } as const
  await insertTokens(tx, [usedCode, ...rowsOf(key, tokens, tx.nowMs)])
  return issuedTokens(key, tokens, tx.nowMs, tx.nowMs)
}

/**
 * A used code is found again only with the client and verifier that redeemed it: a stranger who has only seen the code, for example
 * in a URL, must not be able to end the connection.
 */
const usedCodeHash = ({ code, clientId, codeVerifier }: CodeRequest): string =>
  hashSecret(JSON.stringify([code, clientId, codeVerifier]))

/** Undefined if the workspace has too many keys, which the consent page has checked too. */
async function createKey(tx: Transaction, grant: Grant): Promise<KeyRecord | undefined> {
  try {
    return (await new Keys(tx, actorOf(grant)).create(grant.workspaceSlug, grant.key, grant.client)).key
  } catch (error) {
    if (error instanceof KeyChangeError && error.reason === 'full') return undefined
    throw error
  }
}

/** Consumes the code. The person's roles are locked first, as for every sign-in, and checked as for a session. */
async function takeGrant(tx: Transaction, hash: string) {
  const ticket = await findTicket(tx, hash, 'code')
  if (ticket === undefined) return undefined
  const grant = JSON.parse(ticket.detail.grant ?? '') as Grant
  const { email, linkBy, workspaceSlug } = grant
  const workspaceId = linkBy === null ? null : ((await findWorkspace(tx, workspaceSlug))?.id ?? '')
  const memberships = await lockMemberships(tx, { email, workspaceId, linkBy })
  if ((await takeTicket(tx, hash, 'code')) === undefined) return undefined
  const membership = memberships.find(({ slug }) => slug === workspaceSlug)
  return { grant, mayConnect: membership?.archivedAt === null && isManager(membership) }
}

function mismatch(grant: Grant, { clientId, redirectUri, codeVerifier }: CodeRequest): string | undefined {
  if (clientId !== grant.client.id) return 'The code was issued to another client.'
  if (redirectUri !== undefined && redirectUri !== grant.redirectUri)
    return 'redirect_uri is not the one of the authorization request.'
  const challenge = Buffer.from(hashSecret(codeVerifier), 'hex').toString('base64url')
  return isSameSecret(challenge, grant.codeChallenge) ? undefined : 'code_verifier does not match the code_challenge.'
}

export interface RefreshRequest {
  clientId: string
  refreshToken: string
  scope: string | undefined
}

export async function refresh(
  tx: Transaction,
  { refreshToken, clientId, scope }: RefreshRequest,
): Promise<IssuedTokens | OAuthError> {
  const connection = await lockConnection(tx, hashToken(refreshToken))
  if (connection?.token.kind !== 'refresh' || connection.key.client?.id !== clientId)
    return invalidGrant('The refresh token is unknown, has expired, or was issued to another client. Connect again.')
  const { key, token } = connection
  if (!isOpen(key, tx.nowMs)) return invalidGrant('The connection was revoked, or has expired. Connect again.')
  const replacedMs = token.replacedAt === null ? tx.nowMs : Date.parse(token.replacedAt)
  // A transaction that waited for the lock may be dated before one that has forgotten the salt, because the minute was over.
  const isForgotten = token.replacedAt !== null && token.salt === null
  if (isForgotten || tx.nowMs - replacedMs > REPEAT_MS) return revokeReused(tx, key, 'refresh token')
  const workspace = await findWorkspaceById(tx, key.workspaceId)
  if (workspace === undefined) return invalidGrant('The workspace was deleted.')
  if (key.pausedAt !== null) return notNow('The connection is paused. It works again once it is resumed.')
  if (workspace.archivedAt !== null) return notNow('The workspace is archived.')
  // Many clients repeat what they first asked for, which may be more than the person granted. The response states what was granted.
  if (scope !== undefined && !scope.split(' ').some((each) => key.permissions.includes(each)))
    return new OAuthError('invalid_scope', 'scope contains nothing that the connection may read.')
  const salt = token.salt ?? randomBytes(32).toString('base64url')
  const tokens = { access: derive(refreshToken, salt, 'access'), refresh: derive(refreshToken, salt, 'refresh') }
  if (token.salt === null) {
    if ((await countRefreshTokens(tx, key.id, isoOf(tx.nowMs + REFRESH_MS - HOUR_MS))) > MAX_REFRESHES_PER_HOUR)
      return tooOften()
    await replaceToken(tx, token, salt, isoOf(tx.nowMs - REPEAT_MS))
    await insertTokens(tx, rowsOf(key, tokens, tx.nowMs))
  }
  return issuedTokens(key, tokens, replacedMs, tx.nowMs)
}

/** The key's id. Undefined unless it is an access or refresh token of ours that has not expired. */
export const connectionOf = async (tx: Transaction, token: string): Promise<string | undefined> =>
  (await findToken(tx, hashToken(token)))?.keyId

/** A code that is not yet redeemed stands for itself. */
export async function connectionOfCode(tx: Transaction, request: CodeRequest): Promise<string | undefined> {
  const hash = hashSecret(request.code)
  if ((await findTicket(tx, hash, 'code')) !== undefined) return hash
  return (await findToken(tx, usedCodeHash(request)))?.keyId
}

/** RFC 7009: ends the whole connection. Undefined if the token is unknown, or the connection has ended already. */
export async function revokeToken(
  tx: Transaction,
  { token, clientId }: { token: string; clientId: string | undefined },
): Promise<KeyRecord | undefined> {
  const connection = await lockConnection(tx, hashToken(token))
  if (connection === undefined || connection.token.kind === 'code') return undefined
  const { key } = connection
  if (!isOpen(key, tx.nowMs)) return undefined
  // Without a client_id, holding the token is enough: someone who finds a leaked one may not know its client.
  if (clientId !== undefined && key.client?.id !== clientId)
    throw invalidGrant('The token was issued to another client.')
  return new Keys(tx, ACTOR).revoke(key.id, 'revoked by the client')
}

/** The token is read again under the key's lock, because another request may just have replaced it. */
async function lockConnection(tx: Transaction, hash: string) {
  const before = await findToken(tx, hash)
  if (before === undefined) return undefined
  await lockKey(tx, before.keyId)
  const [key, token] = [await findKey(tx, before.keyId), await findToken(tx, hash)]
  return key && token && { key, token }
}

async function revokeReused(
  tx: Transaction,
  { id: keyId, workspaceId }: KeyRecord,
  what: 'code' | 'refresh token',
): Promise<ReuseError> {
  const timezone = (await findWorkspaceById(tx, workspaceId))?.timezone ?? null
  // Happens at most once to a key, which is revoked in the same transaction.
  const day = localDate(zoneNamed(timezone), tx.nowMs)
  await insertRow(tx, 'key_use', { keyId, day, refused: 'reused', count: 1 })
  await updateKey(tx, keyId, { lastRefusal: { why: 'reused', at: isoOf(tx.nowMs) } })
  return new ReuseError(await new Keys(tx, ACTOR).revoke(keyId, `${what} reused`), what)
}

type TokenPair = Record<'access' | 'refresh', string>

const derive = (refreshToken: string, salt: string, info: keyof TokenPair): string =>
  toToken(Buffer.from(hkdfSync('sha256', refreshToken, salt, `vitrine ${info}`, 32)))

const rowsOf = ({ id: keyId }: KeyRecord, { access, refresh }: TokenPair, nowMs: number) => [
  { hash: hashToken(access), keyId, kind: 'access', expiresAt: isoOf(nowMs + ACCESS_MS) } as const,
  { hash: hashToken(refresh), keyId, kind: 'refresh', expiresAt: isoOf(nowMs + REFRESH_MS) } as const,
]

function issuedTokens(key: KeyRecord, { access, refresh }: TokenPair, issuedMs: number, nowMs: number) {
  const endMs = Math.min(issuedMs + ACCESS_MS, Date.parse(endOf(key) ?? '9999-12-31T00:00:00Z'))
  const response = {
    access_token: access,
    token_type: 'Bearer',
    // A code may be redeemed after the key has expired.
    expires_in: Math.max(0, Math.floor((endMs - nowMs) / 1000)),
    refresh_token: refresh,
    scope: key.permissions.join(' '),
  }
  return { response, key }
}
