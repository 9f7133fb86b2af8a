import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { issueCode } from '../../src/connections/tokens.ts'
import { assertHeaders } from '../support/assertions.ts'
import { atTime } from '../support/at-time.ts'
import { exchange, type HttpResponse, type Sent } from '../support/exchange.ts'
import { startService } from '../support/service.ts'

export const PUBLIC_URL = 'https://v.example'
export const CLIENT = 'client-1'
export const REDIRECT = 'https://client.example/callback'
export const FORM = 'application/x-www-form-urlencoded'
const EMAIL = 'olga@acme.example'

/** A service at which a person has consented: `connect` is what the client does next. */
export async function startConnecting(t: TestContext, options: Parameters<typeof startService>[1] = {}) {
  const service = await startService(t, { ...options, env: { PUBLIC_URL, ...options.env } })
  await service.addMember(EMAIL, 'owner')
  const send = (path: string, sent: Sent) => exchange(service.url, path, { method: 'POST', ...sent })
  const post = (path: string, parameters: Record<string, string>, headers: Record<string, string> = {}) =>
    send(path, { headers: { 'content-type': FORM, ...headers }, body: String(new URLSearchParams(parameters)) })
  const register = (metadata: unknown, headers: Record<string, string> = {}) =>
    send('/oauth/register', {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(metadata),
    })
  const consent = async () => {
    const verifier = randomBytes(32).toString('base64url')
    const grant = {
      client: { id: CLIENT, host: 'client.example' },
      redirectUri: REDIRECT,
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      workspaceSlug: 'acme',
      email: EMAIL,
      linkBy: null,
      key: { label: 'An agent', permissions: ['workspace:read', 'tasks:read'], quota: null, expiresAt: null },
    }
    const code = await atTime(service.operator, () => service.time.now).transaction((tx) => issueCode(tx, grant))
    return {
      ...{ grant_type: 'authorization_code', code, client_id: CLIENT },
      ...{ redirect_uri: REDIRECT, code_verifier: verifier },
    }
  }
  const connect = async () => tokensIn(await post('/oauth/token', await consent()))
  const rowsOf = async (table: string) =>
    service.operator.read(async (tx) => {
      const [row] = await tx.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)
      return Number(row?.n)
    })
  return { ...service, send, post, register, consent, connect, rowsOf }
}

interface Tokens {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token: string
  scope: string
}

export function tokensIn(response: HttpResponse): Tokens {
  assert.equal(response.status, 200, response.text)
  return response.json as Tokens
}

/** As every page of the service, it cannot be framed, sniffed or stored. */
export const PROTECTION = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The JSON of RFC 6749, 5.2, and nothing that a browser could read from another site. */
export function assertOAuthError(
  response: HttpResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
) {
  const { error, error_description: description, ...others } = response.json as Record<string, string>
  assert.deepEqual([response.status, error, others], [status, code, {}], response.text)
  assert.match(description ?? '', /^[\x20\x21\x23-\x5b\x5d-\x7e]{10,}\.$/)
  const length = { 'content-type': 'application/json', 'content-length': String(response.body.length) }
  assertHeaders(response, { ...PROTECTION, ...length, ...headers })
}
