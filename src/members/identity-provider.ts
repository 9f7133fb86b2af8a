import type { ClientAuth, Configuration } from 'openid-client'
import type { Transaction } from '../database/store.ts'
import { personEmail } from '../lib/email.ts'
import { lazily } from '../lib/lazily.ts'
import { createSecret, hashSecret } from '../lib/secret.ts'
import { currentSecret } from '../lib/secret-file.ts'
import { insertPending, takeTicket } from './tickets.ts'

const TIMEOUT_SECONDS = 10

/** How long a person may take to return from the provider. */
export const AUTHORIZATION_SECONDS = 600

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string
  clientSecretFile: string | undefined
}

/** The values of an authorization request (RFC 6749, 4.1.1), stored until its callback is checked against them. */
type OidcChecks = Record<'state' | 'nonce' | 'verifier', string>

export type IdentityProvider = ReturnType<typeof createIdentityProvider>

/** OpenID Connect: the authorization code flow with PKCE, state and nonce. */
export function createIdentityProvider(settings: OidcSettings, redirectUri: string) {
  const discover = lazily(() => discoverProvider(settings))
  return {
    async authorizationUrl(): Promise<{ url: string; checks: OidcChecks }> {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
        await library()
      const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
      const url = buildAuthorizationUrl(await discover(), {
        redirect_uri: redirectUri,
        scope: 'openid email',
        code_challenge: await calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        state: checks.state,
        nonce: checks.nonce,
      })
      return { url: url.href, checks }
    },

    /** Rejects unless the response is valid in every respect. The email is undefined if it cannot be a member's address. */
    async handleCallback(query: URLSearchParams, { state, nonce, verifier }: OidcChecks) {
      const { authorizationCodeGrant, fetchUserInfo } = await library()
      const configuration = await discover()
      const callback = new URL(`${redirectUri}?${query}`)
      const tokens = await authorizationCodeGrant(configuration, callback, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new Error('the identity provider sent no ID token')
      // Some providers include the address in the ID token, others only in the user info.
      const { email, email_verified } =
        claims.email === undefined ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims
      return { email: typeof email === 'string' ? personEmail(email) : undefined, isVerified: email_verified === true }
    },
  }
}

async function discoverProvider(settings: OidcSettings): Promise<Configuration> {
  const { allowInsecureRequests, ClientSecretPost, discovery } = await library()
  const { issuer, clientId, clientSecret, clientSecretFile } = settings
  // Read for each request, so that the secret can be rotated without a restart.
  const authenticate: ClientAuth = (...request) =>
    ClientSecretPost(currentSecret(clientSecret, clientSecretFile))(...request)
  const options = {
    timeout: TIMEOUT_SECONDS,
    ...(issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
  }
  return discovery(new URL(issuer), clientId, clientSecret, authenticate, options)
}

/** Loaded on the first sign-in, because most servers never need it. */
const library = () => import('openid-client')

/** Returns the secret that ties the callback to this browser. */
export async function saveOidcChecks(tx: Transaction, checks: OidcChecks) {
  const secret = createSecret()
  const ticket = { hash: hashSecret(secret), kind: 'oidc', subject: '', detail: checks } as const
  await insertPending(tx, ticket, AUTHORIZATION_SECONDS)
  return secret
}

/** Deletes the checks: a callback works only once. */
export const takeOidcChecks = async (tx: Transaction, secret: string) =>
  (await takeTicket(tx, hashSecret(secret), 'oidc'))?.detail as OidcChecks | undefined
