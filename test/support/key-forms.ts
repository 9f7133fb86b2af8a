import { type Browser, fieldOf, KEYS } from './person.ts'

/** As a reader would read it. */
export const textOf = (page: string): string =>
  page
    .replace(/<\/?(a|bdi|code|span|strong|time|wbr)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')

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
