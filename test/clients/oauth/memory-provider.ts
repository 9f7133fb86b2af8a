import assert from 'node:assert/strict'

interface Tokens {
  access_token: string
  token_type: string
  refresh_token?: string
  scope?: string
  expires_in?: number
}

/** What an application implements for the OAuth of SDK 1.x and client 2.x: it stores everything unchanged. */
export class MemoryProvider {
  readonly redirectUrl: string
  readonly clientMetadata: { client_name: string; redirect_uris: string[] }
  // biome-ignore lint/suspicious/noExplicitAny: the two libraries have types of their own for it.
  information: any
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  saved: any
  /** Where the person was sent, each time. */
  readonly redirected: URL[] = []
  /** What the library found unusable. */
  readonly invalidated: string[] = []
  #verifier = ''

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl
    this.clientMetadata = { client_name: 'Stock agent', redirect_uris: [redirectUrl] }
  }

  state = () => 'a state/with+signs='
  clientInformation = () => this.information
  saveClientInformation = (information: unknown) => {
    this.information = information
  }
  tokens = () => this.saved
  saveTokens = (tokens: unknown) => {
    this.saved = tokens
  }
  redirectToAuthorization = (url: URL) => {
    this.redirected.push(url)
  }
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
  invalidateCredentials = (scope: string) => {
    this.invalidated.push(scope)
    if (scope === 'all' || scope === 'client') this.information = undefined
    if (scope === 'all' || scope === 'tokens') this.saved = undefined
  }

  /** The tokens, which must be there. */
  get issued(): Tokens {
    assert.ok(this.saved, 'no tokens were saved')
    return this.saved
  }
}
