import type { TestContext } from 'node:test'
import type { OperatorStore } from '../../src/database/store.ts'
import type { Role } from '../../src/members/records.ts'
import { signInLinkUrl } from '../../src/web/paths.ts'
import { atTime } from './at-time.ts'
import { createSignInLink } from './changes.ts'
import { exchange, type HttpResponse } from './exchange.ts'
import { type Service, startService } from './service.ts'

/** A person's browser without JavaScript: it stores cookies, follows no redirects, and sends the origin of forms. */
export class Browser {
  readonly url: string
  readonly cookies: Map<string, string>

  constructor(url: string, cookies: Iterable<[string, string]> = []) {
    this.url = url
    this.cookies = new Map(cookies)
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get(path: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return this.#send(path, { headers })
  }

  /** Sends a form as its own page would. */
  post(
    path: string,
    fields: Record<string, string | string[]> | [string, string][],
    headers: Record<string, string> = {},
  ) {
    const pairs = Array.isArray(fields)
      ? fields
      : Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, each]))
    return this.#send(path, {
      method: 'POST',
      headers: {
        origin: this.url,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body: new URLSearchParams(pairs).toString(),
    })
  }

  /** Sends a form and goes where the response leads, as a browser does. */
  async submit(...sent: Parameters<Browser['post']>): Promise<HttpResponse> {
    const response = await this.post(...sent)
    return response.status === 303 ? this.get(response.headers.location ?? '') : response
  }

  async #send(path: string, sent: { method?: string; headers: Record<string, string>; body?: string }) {
    const cookie = this.cookieHeader
    const headers = { ...(cookie !== '' && { cookie }), ...sent.headers }
    const response = await exchange(this.url, path, { ...sent, headers })
    for (const set of (response.headers['set-cookie'] ?? '').split(/, (?=[\w-]+=)/)) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (name === '') continue
      if (/max-age=0/i.test(set)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** Signs a member in with a link of their own. */
  async signIn(store: OperatorStore, email: string, nowMs?: number): Promise<HttpResponse> {
    const token = await createSignInLink(nowMs === undefined ? store : atTime(store, () => nowMs), { email }, 'test')
    return this.follow(signInLinkUrl(this.url, token))
  }

  /** Follows a sign-in link to its end; returns the last response. The page of a link that has ended has no form. */
  async follow(link: string): Promise<HttpResponse> {
    const { pathname, search } = new URL(link)
    const page = await this.get(pathname + search)
    if (page.status !== 200) return page
    return this.post(pathname, { csrf: fieldOf(page, 'csrf'), token: fieldOf(page, 'token') })
  }
}

/** The value of a form's hidden field. */
export const fieldOf = ({ text }: HttpResponse, name: string): string =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '').replace(/&#(\d+);/g, (_, code) =>
    String.fromCharCode(Number(code)),
  )

/** A form's hidden fields: the session's CSRF token, and the ticket that lets it be sent once. */
export async function openForm(browser: Browser, path: string) {
  const page = await browser.get(path)
  return { csrf: fieldOf(page, 'csrf'), once: fieldOf(page, 'once') }
}

/** The section that the navigation highlights. */
export const sectionOf = ({ text }: HttpResponse): string | undefined =>
  /<nav class="nav".*?aria-current="page">.*?<span>([^<]*).*?<\/nav>/s.exec(text)?.[1]

/** The words of a page, without its tags. */
export const wordsOf = (page: string): string =>
  page
    .replaceAll('<wbr>', '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

/** As a reader would read it. */
export const textOf = (page: string): string =>
  page
    .replace(/<\/?(a|bdi|code|span|strong|time|wbr)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')

/** A key that a response shows; empty if it shows none. */
export const tokenIn = ({ text }: HttpResponse): string => /vtr_[0-9A-Za-z]{49}/.exec(text)?.[0] ?? ''

export const linkFor = async ({ operator, url, time }: Service, email: string): Promise<string> =>
  signInLinkUrl(
    url,
    await createSignInLink(
      atTime(operator, () => time.now),
      { email },
      'test',
    ),
  )

/** A browser in which a member of `acme`, added for the purpose, is signed in. */
export async function signedIn(service: Service, role: Role = 'owner', email = `${role}@acme.example`) {
  const { operator, time } = service
  await service.addMember(email, role)
  const browser = new Browser(service.url)
  await browser.signIn(operator, email, time.now)
  return browser
}

/** A service with an owner of `acme`, who is signed in. */
export async function startSignedIn(t: TestContext, start: (t: TestContext) => Promise<Service> = startService) {
  const service = await start(t)
  return { service, browser: await signedIn(service) }
}

/** A second owner of `acme`, so that an owner can be demoted or removed. */
export const addOtherOwner = ({ addMember }: Service) => addMember('other@acme.example', 'owner')

/** Ends all sessions without a trace. */
export const endSessions = ({ changeElsewhere }: Service) => changeElsewhere('DELETE FROM sessions')

export const OVERVIEW = '/settings/workspaces/acme'
export const KEYS = `${OVERVIEW}/keys`

/** The key that the owner created on the page. */
export const createdKey = async ({ keys }: Service) =>
  (await keys.list('acme')).find(({ createdBy }) => createdBy === 'owner@acme.example')

/** Creates a key through the page; returns the response that shows it, and the submitted form. */
export async function createKeyOnPage(browser: Browser, fields: Record<string, string> = {}) {
  const rest = { ...(await openForm(browser, `${KEYS}/new`)), label: 'nightly report', expiry: '90', ...fields }
  const form: [string, string][] = [
    ['permissions', 'workspace:read'],
    ['permissions', 'tasks:read'],
    ...Object.entries(rest),
  ]
  const response = await browser.submit(KEYS, form)
  return { response, form, token: tokenIn(response) }
}

interface EditForm extends Record<string, string | string[]> {
  label: string
  expiry: string
  expiryDate: string
  rateLimit: string
  networks: string
  only: string
  permissions: string[]
}

/** The form that changes a key, as a browser has it on screen. */
export async function openEditForm(browser: Browser, id: string): Promise<EditForm> {
  const page = await browser.get(`${KEYS}/${id}/edit`)
  const hidden = ['csrf', 'version']
  const typed = ['label', 'expiryDate', 'rateLimit', 'rateWindow', 'networks', 'only']
  const texts: Record<string, string> = Object.fromEntries([
    ...hidden.map((name) => [name, fieldOf(page, name)]),
    ...typed.map((name) => [name, typedIn(page.text, name)]),
  ])
  const expiry = /name="expiry" value="(\w+)" checked/.exec(page.text)?.[1] ?? ''
  const permissions = [...page.text.matchAll(/name="permissions" value="([^"]*)" checked/g)].map(
    ([, name = '']) => name,
  )
  return { ...texts, expiry, permissions } as EditForm
}

/** What a field of a form shows. */
export const typedIn = (page: string, name: string): string =>
  /value="([^"]*)"/.exec(new RegExp(`<input id="${name}"[^>]*>`).exec(page)?.[0] ?? '')?.[1] ?? ''
