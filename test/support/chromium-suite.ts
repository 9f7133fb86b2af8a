import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { chromiumPath, launchChromium } from './chromium.ts'

export interface InBrowser {
  /** A page in a browser context of its own, with its own cookies. It is closed after the test or suite that opened it. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>
}

export interface WatchedPage extends Page {
  /** What the browser complained about: refused scripts and styles, exceptions, missing files. */
  complaints: string[]
}

/** One for all suites of a file: to start it takes as long as several tests. */
let browser: Promise<Browser> | undefined
after(async () => (await browser)?.close())

/** A suite with a real browser. Without one it is skipped, in one line; CI must have one. */
export function describeInBrowser(title: string, suite: (browser: InBrowser) => void): void {
  if (chromiumPath === undefined && !process.env.CI) {
    test(title, { skip: 'no Chromium here: install it, or set CHROMIUM_PATH' }, () => {})
    return
  }
  describe(title, () => {
    let openedByTest: BrowserContext[] = []
    beforeEach(() => {
      openedByTest = []
    })
    // An open page keeps polling its server, which may be gone.
    afterEach(() => Promise.all(openedByTest.map((context) => context.close())))
    suite({
      async open(options = {}) {
        browser ??= launchChromium()
        const context = await (await browser).newContext({ viewport: DESKTOP, ...options })
        openedByTest.push(context)
        context.setDefaultTimeout(120_000)
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

/** Minified, because every page that is opened has to parse it again. */
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds on the current page, one line per fault, by all rules except the given ones. */
export async function axeFaults(page: Page, { except = [] }: { except?: readonly string[] } = {}): Promise<string[]> {
  // Evaluated by the debugger, which the page's content security policy does not bind.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  const rules = Object.fromEntries(except.map((rule) => [rule, { enabled: false }]))
  const options = { resultTypes: ['violations'], rules }
  // The options of lists are hundreds, and all alike.
  const context = { include: [['html']], exclude: [['option']] }
  // What it found to be right is larger than many pages.
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`))
}

/** How far the page can be scrolled sideways, in pixels. It should not. */
export const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

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
