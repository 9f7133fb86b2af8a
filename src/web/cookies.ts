const names = {
  session: 'vitrine_session',
  visitor: 'vitrine_visitor',
  oidc: 'vitrine_oidc',
  return: 'vitrine_return',
  flash: 'vitrine_flash',
  workspace: 'vitrine_workspace',
} as const
type CookieName = keyof typeof names

/** Over https, the prefix makes browsers accept the cookies only from this host. */
export class Cookies {
  readonly #prefix: string
  readonly #attributes: string

  constructor(isSecure: boolean) {
    this.#prefix = isSecure ? '__Host-' : ''
    // Lax, so that the callback from an identity provider, a cross-site navigation, carries its cookie.
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  }

  read(header: string | undefined, name: CookieName): string | undefined {
    const start = `${this.#prefix}${names[name]}=`
    const pair = header?.split(/; */).find((each) => each.startsWith(start))
    return pair?.slice(start.length)
  }

  set(name: CookieName, value: string, maxAgeSeconds: number): [string, string] {
    return ['Set-Cookie', `${this.#prefix}${names[name]}=${value}; ${this.#attributes}; Max-Age=${maxAgeSeconds}`]
  }

  clear(name: CookieName): [string, string] {
    return this.set(name, '', 0)
  }
}
