import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import { newestEntries } from '../../src/audit/log.ts'
import { OAuthError, type OAuthErrorCode } from '../../src/connections/oauth-error.ts'
import {
  type CodeRequest,
  type Grant,
  type IssuedTokens,
  issueCode,
  type RefreshRequest,
  ReuseError,
  redeemCode,
  refresh,
  revokeToken,
} from '../../src/connections/tokens.ts'
import type { OperatorStore } from '../../src/database/store.ts'
import { findKey } from '../../src/keys/records.ts'
import { atTime } from '../support/at-time.ts'
import { addMember } from '../support/changes.ts'
import { keysIn } from '../support/keys.ts'
import { startOperator } from '../support/operator.ts'
import { NOON } from '../support/service.ts'

export const ANA = 'ana@acme.example'
export const CLIENT = { id: 'https://agent.example/client.json', host: 'agent.example' }
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

export const GRANT: Grant = {
  client: CLIENT,
  redirectUri: 'https://agent.example/callback',
  codeChallenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  workspaceSlug: 'acme',
  email: ANA,
  linkBy: null,
  key: { label: 'Agent', permissions: ['workspace:read', 'tasks:read'], quota: null, expiresAt: null },
}

/** What a client and the consent page do, at the moment that the test has set. */
export function connector(given: Pick<OperatorStore, 'transaction'>, time: { now: number }) {
  const store = atTime(given, () => time.now)
  const issue = (changes: Partial<Grant> = {}) => store.transaction((tx) => issueCode(tx, { ...GRANT, ...changes }))
  const request = { clientId: CLIENT.id, redirectUri: GRANT.redirectUri, codeVerifier: VERIFIER }
  const redeem = (code: string, changes: Partial<CodeRequest> = {}) =>
    store.transaction((tx) => redeemCode(tx, { code, ...request, ...changes }))
  return {
    issue,
    redeem,
    connect: async (changes: Partial<Grant> = {}) => granted(await redeem(await issue(changes))),
    refresh: (refreshToken: string, changes: Partial<RefreshRequest> = {}) =>
      store.transaction((tx) => refresh(tx, { refreshToken, clientId: CLIENT.id, scope: undefined, ...changes })),
    revoke: (token: string) => store.transaction((tx) => revokeToken(tx, { token, clientId: undefined })),
  }
}

/** A workspace with an owner who connects programs. */
export async function startConnecting(t: TestContext) {
  const { url, store, workspace } = await startOperator(t)
  const time = { now: NOON }
  await addMember(store, 'acme', { email: ANA, role: 'owner' }, 'test', new Date(NOON).toISOString())
  const keyOf = (id: string) => store.read((tx) => findKey(tx, id))
  const newestEntry = async () => (await store.read((tx) => newestEntries(tx, workspace.id, 1)))[0]
  /** Which connections were revoked because a code or token was used again. */
  const reuses = async () => {
    const rows = await store.read((tx) =>
      tx.all<{ keyId: string; refused: string }>('SELECT key_id AS "keyId", refused FROM key_use'),
    )
    return rows.map((row) => ({ ...row }))
  }
  return {
    ...{ url, store, workspace, time, ...connector(store, time) },
    ...{ keyOf, newestEntry, reuses },
    keys: keysIn(store, 'test', () => time.now),
    /** Using a code or token again ended the connection just now, which its key's sums show. */
    async assertReused(error: unknown, keyId: string, what: string) {
      assert.ok(error instanceof ReuseError)
      assert.equal(error.key.id, keyId)
      assert.ok(error.message.startsWith(`The ${what} was used before`), error.message)
      assert.equal((await keyOf(keyId))?.revokedAt, new Date(time.now).toISOString())
      assert.deepEqual(await reuses(), [{ keyId, refused: 'reused' }])
      assert.deepEqual((await keyOf(keyId))?.lastRefusal, { why: 'reused', at: new Date(time.now).toISOString() })
      const entry = await newestEntry()
      assert.deepEqual(
        [entry?.actor, entry?.action, entry?.subject, entry?.detail],
        ['connections', 'key.revoked', keyId, { label: 'Agent', reason: `${what} reused` }],
      )
    },
    tokens: () =>
      store.read((tx) =>
        tx.all<{ kind: string; salt: string | null }>('SELECT kind, salt FROM connection_tokens ORDER BY kind'),
      ),
  }
}

export function granted(result: IssuedTokens | OAuthError): IssuedTokens {
  assert.ok(!(result instanceof OAuthError), result instanceof Error ? result.message : '')
  return result
}

export function refused(
  result: IssuedTokens | OAuthError,
  description: RegExp,
  code: OAuthErrorCode = 'invalid_grant',
): OAuthError {
  assert.ok(result instanceof OAuthError, 'it was granted')
  assert.deepEqual([result.code, result.status], [code, 400])
  assert.match(result.message, description)
  return result
}
