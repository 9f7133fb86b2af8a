import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import axe, { type AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, launchChromium } from './chromium.ts'
import { DESKTOP } from './screens.ts'

export interface InBrowser {
  /** A page in a browser context of its own, with its own cookies. It is closed after the suite. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>
}

export interface WatchedPage extends Page {
  /** What the browser complained about: refused scripts and styles, exceptions, missing files. */
  complaints: string[]
}

/** A suite with a real browser. Without one it is skipped, in one line; CI must have one. */
export function describeInBrowser(title: string, suite: (browser: InBrowser) => void): void {
  if (chromiumPath === undefined && !process.env.CI) {
    test(title, { skip: 'no Chromium here: install it, or set CHROMIUM_PATH' }, () => {})
    return
  }
  describe(title, () => {
    let browser: Browser | undefined
    before(async () => {
      browser = await launchChromium()
    })
    after(() => browser?.close())
    suite({
      async open(options = {}) {
        assert.ok(browser)
        const context = await browser.newContext({ viewport: DESKTOP, ...options })
        context.setDefaultTimeout(15_000)
        return watch(await context.newPage())
      },
    })
  })
}

function watch(page: Page): WatchedPage {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return Object.assign(page, { complaints })
}

/** What axe finds on the page as it stands, one line for each fault. */
export async function axeFaults(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's content security policy does not bind.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`))
}

/** How far the page can be scrolled sideways, in pixels. It should not. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
