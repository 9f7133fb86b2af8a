import assert from 'node:assert/strict'
import { axeFaults, sidewaysScroll, type WatchedPage } from './chromium-suite.ts'
import { DESKTOP, PHONE } from './screens.ts'

export const looks = [
  { viewport: DESKTOP, colorScheme: 'light' },
  { viewport: PHONE, colorScheme: 'dark' },
] as const

/** The open page, with all that it folds. */
export async function assertAccessible(
  page: WatchedPage,
  shown: readonly (typeof looks)[number][] = looks,
  except: readonly string[] = [],
): Promise<void> {
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
  for (const { viewport, colorScheme } of shown) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await axeFaults(page, { except }), [])
    assert.equal(await sidewaysScroll(page), 0)
  }
  assert.deepEqual(page.complaints, [])
}
