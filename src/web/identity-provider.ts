import type { Configuration } from 'openid-client'
import type { OidcSettings } from '../config.ts'
import { personEmail } from '../lib/email.ts'
import { paths } from './paths.ts'

const TIMEOUT_SECONDS = 10

/** What must come back unchanged; kept by us between leaving for the provider and returning from it. */
export type Errand = Record<'state' | 'nonce' | 'verifier', string>

/** Whom the provider vouches for. */
export interface Vouched {
  /** Undefined if it is not one that a member can have. */
  email: string | undefined
  isVerified: boolean
}

/** A company's OpenID Connect provider: authorization code with PKCE, state and nonce. */
export class IdentityProvider {
  readonly #settings: OidcSettings
  readonly #publicUrl: string
  #configuration: Promise<Configuration> | undefined

  constructor(settings: OidcSettings, publicUrl: string) {
    this.#settings = settings
    this.#publicUrl = publicUrl
  }

  async leave(): Promise<{ url: string; errand: Errand }> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
      await library()
    const errand = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
    const url = buildAuthorizationUrl(await this.#discover(), {
      redirect_uri: this.#publicUrl + paths.signInOidcBack,
      scope: 'openid email',
      code_challenge: await calculatePKCECodeChallenge(errand.verifier),
      code_challenge_method: 'S256',
      state: errand.state,
      nonce: errand.nonce,
    })
    return { url: url.href, errand }
  }

  /** Rejects unless everything about the answer is right. */
  async comeBack(query: URLSearchParams, { state, nonce, verifier }: Errand): Promise<Vouched> {
    const { authorizationCodeGrant, fetchUserInfo } = await library()
    const configuration = await this.#discover()
    const here = new URL(`${this.#publicUrl}${paths.signInOidcBack}?${query}`)
    const tokens = await authorizationCodeGrant(configuration, here, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined) throw new Error('the identity provider sent no ID token')
    // Some providers put the address into the ID token, some only tell it when asked.
    const { email, email_verified } =
      claims.email === undefined ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims
    return { email: typeof email === 'string' ? personEmail(email) : undefined, isVerified: email_verified === true }
  }

  /** Asked once; a provider that could not be reached is asked again the next time. */
  #discover(): Promise<Configuration> {
    this.#configuration ??= this.#ask().catch((error) => {
      this.#configuration = undefined
      throw error
    })
    return this.#configuration
  }

  async #ask(): Promise<Configuration> {
    const { allowInsecureRequests, discovery } = await library()
    const { issuer, clientId, clientSecret } = this.#settings
    const options = {
      timeout: TIMEOUT_SECONDS,
      ...(issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
    }
    return discovery(new URL(issuer), clientId, clientSecret, undefined, options)
  }
}

/** Loaded with the first sign-in: most servers never need it. */
const library = () => import('openid-client')
