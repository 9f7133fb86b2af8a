import { createServer, type Server } from 'node:http'
import type { TestContext } from 'node:test'
import Provider from 'oidc-provider'
import { freePort } from './listen.ts'

interface TestProvider {
  issuer: string
  /** Accounts whose address the provider has not verified. */
  unverified: Set<string>
  /** Accounts for which it does not state whether the address is verified. */
  unsaid: Set<string>
  /** Signs in as a person would on its pages; returns the path and query of the redirect back. */
  signIn(authorizationUrl: string, account: string): Promise<string>
  stop(): Promise<void>
  start(): Promise<void>
}

/** A real OpenID Connect provider on loopback, with a client called `vitrine`. */
export async function startIdentityProvider(t: TestContext, redirectUri: string): Promise<TestProvider> {
  // It prints long warnings about its development setup.
  for (const method of ['info', 'warn'] as const) t.mock.method(console, method, () => {})
  const unverified = new Set<string>()
  const unsaid = new Set<string>()
  // Sign-ins would fail if a busy machine paused them until their connection timed out.
  const options = { keepAliveTimeout: 0 }
  let server: Server = createServer(options)
  // Reserved, so that it can be stopped and started there.
  const port = await freePort()
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  await listen()
  const issuer = `http://127.0.0.1:${port}`
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'vitrine', client_secret: 'a-secret', redirect_uris: [redirectUri], response_types: ['code'] },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, ...(!unsaid.has(id) && { email_verified: !unverified.has(id) }) }),
    }),
    cookies: { keys: ['for tests only'] },
  })
  const respond = provider.callback()
  server.on('request', respond)
  t.after(stop)

  return {
    issuer,
    unverified,
    unsaid,
    stop,
    async start() {
      server = createServer(options, respond)
      await listen()
    },
    async signIn(authorizationUrl, account) {
      const jar = new Map<string, string>()
      let url = authorizationUrl
      for (let step = 0; step < 12; step++) {
        if (!url.startsWith(issuer)) return url.slice(new URL(url).origin.length)
        const response = await visit(url, account, jar)
        const location = response.headers.get('location')
        if (location === null) throw new Error(`the provider stays at ${url}: ${response.status}`)
        url = new URL(location, url).href
      }
      throw new Error('the provider goes in circles')
    },
  }
}

/** Its development pages ask for a login, then for consent. */
async function visit(url: string, account: string, jar: Map<string, string>): Promise<Response> {
  const send = async (to: string, body?: URLSearchParams) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = body === undefined ? {} : { method: 'POST', body }
    const response = await fetch(to, { ...sent, headers: { cookie }, redirect: 'manual' })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      jar.set(name, value)
    }
    return response
  }
  const response = await send(url)
  if (response.status !== 200) return response
  const page = await response.text()
  const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
  const action = /action="([^"]+)"/.exec(page)?.[1] ?? url
  return send(new URL(action, url).href, new URLSearchParams({ prompt, login: account, password: 'x' }))
}
