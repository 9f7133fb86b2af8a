import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import { registerClient } from '../../src/connections/client.ts'
import { freePort } from './listen.ts'
import { type Browser, fieldOf } from './person.ts'
import { type Service, startService } from './service.ts'

export const VERIFIER = 'v'.repeat(43)
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
export const CALLBACK = 'https://client.example/callback'

/** A service that people can connect programs to, at its own address. */
export async function startConnectable(t: TestContext, options: Parameters<typeof startService>[1] = {}) {
  const port = await freePort()
  const env = { PUBLIC_URL: `http://127.0.0.1:${port}`, ...options.env }
  return startService(t, { ...options, port, env })
}

export const registered = (client_name = 'Stock agent', ...redirect_uris: string[]) =>
  registerClient({ client_name, redirect_uris: redirect_uris.length === 0 ? [CALLBACK] : redirect_uris })

/** A client's whole request, as the path that it sends a person to. Undefined leaves a parameter out. */
export function authorizePath(parameters: Record<string, string | undefined> = {}): string {
  const request = {
    response_type: 'code',
    client_id: parameters.client_id ?? registered().id,
    redirect_uri: CALLBACK,
    state: 's-1',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...parameters,
  }
  const given = Object.entries(request).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `/oauth/authorize?${new URLSearchParams(given)}`
}

type Fields = [name: string, value: string][]

/** Opens the page, and returns its form as a person would submit it with “Connect”. */
export async function openConsent(browser: Browser, path: string, changes: Record<string, string> = {}) {
  const page = await browser.get(path)
  const checked = [...page.text.matchAll(/name="permissions" value="([^"]+)" checked/g)].map(([, name = '']) => name)
  const hidden = ['csrf', 'once', 'workspace'].map((name): [string, string] => [name, fieldOf(page, name)])
  const rest = { expiry: '90', rateWindow: '60', decision: 'connect' }
  const fields: Fields = [
    ...hidden.filter(([name]) => !(name in changes)),
    ...checked.map((name): [string, string] => ['permissions', name]),
    ...Object.entries({ ...rest, ...changes }),
  ]
  return { page, fields, checked, send: () => browser.post(path, fields) }
}

/** The parameters that a redirect takes to the client; fails if it leads elsewhere. */
export function sentTo(location: string | undefined, redirectUri = CALLBACK): Record<string, string> {
  const url = new URL(location ?? 'missing:')
  if (url.origin + url.pathname !== redirectUri) throw new Error(`not sent to the client: ${location}`)
  return Object.fromEntries(url.searchParams)
}

/** The token endpoint's response to the code. */
export async function redeem(service: Service, clientId: string, code: string) {
  const response = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, client_id: clientId, code_verifier: VERIFIER },
    }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}
