import { CONNECT_PATH } from './metadata.ts'
import { OAuthError } from './oauth-error.ts'

/** A parameter without a value counts as missing, none may be repeated, and unknown ones are ignored (RFC 6749, 3.1 and 3.2). */
export class OAuthParameters {
  readonly #values = new Map<string, string>()

  constructor(form: URLSearchParams) {
    for (const [name, value] of form) {
      if (this.#values.has(name)) throw new OAuthError('invalid_request', 'A parameter is repeated.')
      this.#values.set(name, value)
    }
  }

  get(name: string): string | undefined {
    const value = this.#values.get(name) || undefined
    if (value !== undefined && !/^[\x20-\x7e]+$/.test(value))
      throw new OAuthError('invalid_request', `The parameter ${name} contains characters that are not printable ASCII.`)
    return value
  }

  required(name: string): string {
    const value = this.get(name)
    if (value === undefined) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
    return value
  }

  /** RFC 8707: a token is for this service alone, whether or not the client says so. */
  checkResource(publicUrl: string): void {
    const resource = publicUrl + CONNECT_PATH
    if ((this.get('resource') ?? resource) !== resource)
      throw new OAuthError('invalid_target', `The only resource is ${resource}.`)
  }
}
