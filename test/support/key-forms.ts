import { type Browser, fieldOf, KEYS } from './person.ts'

/** As a reader would read it. */
export const textOf = (page: string): string =>
  page
    .replace(/<\/?(a|bdi|code|span|strong|time|wbr)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')

/** The form that changes a key, as a browser has it on screen. */
export async function openEditForm(browser: Browser, id: string): Promise<Record<string, string>> {
  const page = await browser.get(`${KEYS}/${id}/edit`)
  const hidden = ['csrf', 'openedLabel', 'openedQuota', 'openedExpiresAt'].map((name) => [name, fieldOf(page, name)])
  const typed = ['label', 'expiryDate', 'rateLimit', 'rateWindow'].map((name) => [name, typedIn(page.text, name)])
  const expiry = /name="expiry" value="(\w+)" checked/.exec(page.text)?.[1] ?? ''
  return { ...Object.fromEntries([...hidden, ...typed]), expiry }
}

/** What a field of a form shows. */
export const typedIn = (page: string, name: string): string =>
  /value="([^"]*)"/.exec(new RegExp(`<input id="${name}"[^>]*>`).exec(page)?.[0] ?? '')?.[1] ?? ''
