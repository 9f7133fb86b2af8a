const names = {
  session: 'vitrine_session',
  visitor: 'vitrine_visitor',
  oidc: 'vitrine_oidc',
  return: 'vitrine_return',
  flash: 'vitrine_flash',
  workspace: 'vitrine_workspace',
} as const
type CookieName = keyof typeof names

export type Cookies = ReturnType<typeof createCookies>

/** Over https, the prefix makes browsers accept the cookies only from this host. */
export function createCookies(isSecure: boolean) {
  const prefix = isSecure ? '__Host-' : ''
  // Lax, so that the callback from an identity provider, a cross-site navigation, carries its cookie.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  function read(header: string | undefined, name: CookieName): string | undefined {
    const start = `${prefix}${names[name]}=`
    const pair = header?.split(/; */).find((each) => each.startsWith(start))
    return pair?.slice(start.length)
  }

  const set = (name: CookieName, value: string, maxAgeSeconds: number): [string, string] => [
    'Set-Cookie',
    `${prefix}${names[name]}=${value}; ${attributes}; Max-Age=${maxAgeSeconds}`,
  ]

  return { read, set, clear: (name: CookieName) => set(name, '', 0) }
}
