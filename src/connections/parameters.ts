import { OAuthError } from './oauth-error.ts'

/** A parameter without a value counts as missing, and none may be repeated (RFC 6749, 3.2). */
export class OAuthParameters {
  readonly #values = new Map<string, string>()

  constructor(form: URLSearchParams) {
    for (const [name, value] of form) {
      if (this.#values.has(name)) throw new OAuthError('invalid_request', 'A parameter is repeated.')
      if (!/^[\x20-\x7e]*$/.test(value))
        throw new OAuthError('invalid_request', 'A parameter contains characters that are not printable ASCII.')
      this.#values.set(name, value)
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name) || undefined
  }

  required(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
    return value
  }
}
