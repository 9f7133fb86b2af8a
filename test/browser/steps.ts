import type { Role } from '../../src/members/records.ts'
import type { InBrowser, WatchedPage } from '../support/chromium-suite.ts'
import { linkFor } from '../support/person.ts'
import type { Service } from '../support/service.ts'

/** Adds a person to `acme` and signs them in as people do: they follow the link and press the button. */
export async function signIn(page: WatchedPage, service: Service, role: Role = 'owner'): Promise<void> {
  const email = `${role}@acme.example`
  await service.addMember(email, role)
  await page.goto(await linkFor(service, email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: role === 'member' ? 'API keys' : 'Overview', exact: true }).waitFor()
}

/** A page of an owner who is signed in. */
export async function openSignedIn(browser: InBrowser, service: Service, options?: Parameters<InBrowser['open']>[0]) {
  const page = await browser.open(options)
  await signIn(page, service)
  return page
}

/** From the list, through the form, to the page that shows the key; returns the key. */
export async function createKey(page: WatchedPage, label: string): Promise<string> {
  await page.getByRole('link', { name: 'Connect', exact: true }).click()
  await page.getByRole('link', { name: 'Create a key' }).click()
  await page.getByLabel('Label').fill(label)
  await page.getByRole('button', { name: 'Create key' }).click()
  return page.locator('#key').innerText()
}

/** The group of rows about one key. */
export const rowOf = (page: WatchedPage, label: string) => page.locator('.keys tbody').filter({ hasText: label })

/** Uses a key as a program would; returns the status. */
export async function useKey(service: Service, token: string, path = '/tasks'): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'stock-agent/1.4 (test)' }
  return (await fetch(service.url + path, { headers })).status
}
