import assert from 'node:assert/strict'
import type { WatchedPage } from '../../support/chromium-suite.ts'
import type { HttpResponse } from '../../support/exchange.ts'
import { Browser } from '../../support/person.ts'
import type { Connectable } from './connectable.ts'

type SignedInTo = Pick<Connectable, 'url' | 'signInLink'>

const ALLOW = 'Connect'
export const REFUSE = 'Refuse'

/** A person follows the client's link, signs in, returns to the same request, and presses the button. */
export async function decideInBrowser(
  page: WatchedPage,
  { signInLink }: SignedInTo,
  authorizationUrl: string | URL,
  button = ALLOW,
): Promise<void> {
  await page.goto(String(authorizationUrl))
  await page.getByRole('heading', { name: 'Sign in to Vitrine' }).waitFor()
  await page.goto(await signInLink())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: button, exact: true }).click()
}

/** The same without a browser. Returns the page on which the person decides, and the next response. */
export async function decide(
  connectable: SignedInTo,
  authorizationUrl: string | URL,
  button = ALLOW,
): Promise<{ page: HttpResponse; redirect: URL }> {
  const { pathname, search } = new URL(authorizationUrl)
  const browser = new Browser(connectable.url)
  const signIn = await browser.get(pathname + search)
  assert.match(signIn.text, /Sign in to Vitrine/)
  const back = await browser.follow(await connectable.signInLink())
  assert.equal(back.status, 303, back.text)
  const page = await browser.get(back.headers.location ?? '')
  assert.equal(page.status, 200, page.text)
  const form = formWith(page.text, button)
  const response = await browser.post(form.action, form.fields)
  assert.equal(response.status, 303, response.text)
  return { page, redirect: new URL(response.headers.location ?? '') }
}

/** The form with this button, filled in as on the page. */
function formWith(html: string, button: string): { action: string; fields: [string, string][] } {
  const forms = [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)]
  const [, tag = '', inside = ''] = forms.find(([, , inside = '']) => inside.includes(`>${button}<`)) ?? []
  assert.notEqual(inside, '', `no form has the button “${button}”`)
  const fields: [string, string][] = []
  for (const [, attributes = ''] of inside.matchAll(/<input([^>]*)>/g)) {
    const type = attribute(attributes, 'type') ?? 'text'
    if (['checkbox', 'radio'].includes(type) && !/\schecked\b/.test(attributes)) continue
    const name = attribute(attributes, 'name')
    if (name !== undefined) fields.push([name, attribute(attributes, 'value') ?? ''])
  }
  for (const [, attributes = '', options = ''] of inside.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)) {
    const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, option = '']) => option)
    const chosen = all.find((option) => /\sselected\b/.test(option)) ?? all[0] ?? ''
    fields.push([attribute(attributes, 'name') ?? '', attribute(chosen, 'value') ?? ''])
  }
  for (const [, attributes = '', label] of inside.matchAll(/<button([^>]*)>([^<]*)<\/button>/g)) {
    const name = attribute(attributes, 'name')
    if (label === button && name !== undefined) fields.push([name, attribute(attributes, 'value') ?? ''])
  }
  return { action: attribute(tag, 'action') ?? '', fields }
}

const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}="([^"]*)"`)
    .exec(tag)?.[1]
    ?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
