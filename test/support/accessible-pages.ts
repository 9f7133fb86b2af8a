import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { axeFaults, describeInBrowser, sidewaysScroll, type WatchedPage } from './chromium-suite.ts'
import { samplePages } from './sample-pages.ts'
import { type SampleServer, startSampleServer } from './sample-server.ts'
import { DESKTOP, PHONE } from './screens.ts'

/** Every state of every page. Each scheme is a file of its own, so that they can run side by side. */
export function checkEveryPage(colorScheme: 'light' | 'dark'): void {
  describeInBrowser(
    `every page passes axe’s checks and fits, on a desktop and on a phone: ${colorScheme}`,
    (browser) => {
      let samples: SampleServer
      let pages: WatchedPage[]
      before(async () => {
        samples = await startSampleServer()
        pages = await Promise.all([DESKTOP, PHONE].map((viewport) => browser.open({ colorScheme, viewport })))
      })
      after(() => samples.close())

      for (const name of Object.keys(samplePages))
        test(name, async () => {
          for (const page of pages) {
            await page.goto(`${samples.url}/${name}`)
            await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
            assert.deepEqual(await axeFaults(page), [])
            assert.equal(await sidewaysScroll(page), 0)
            assert.deepEqual(page.complaints, [])
          }
        })
    },
  )
}
