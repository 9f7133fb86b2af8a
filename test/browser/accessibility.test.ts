import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { axeFaults, describeInBrowser, sidewaysScroll, type WatchedPage } from '../support/chromium-suite.ts'
import { samplePages } from '../support/sample-pages.ts'
import { type SampleServer, startSampleServer } from '../support/sample-server.ts'
import { DESK, PHONE } from '../support/screens.ts'

for (const colorScheme of ['light', 'dark'] as const)
  describeInBrowser(`every page passes axe’s checks and fits, on a desk and on a phone: ${colorScheme}`, (browser) => {
    let samples: SampleServer
    let pages: WatchedPage[]
    before(async () => {
      samples = await startSampleServer()
      pages = await Promise.all([DESK, PHONE].map((viewport) => browser.open({ colorScheme, viewport })))
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
  })

describeInBrowser('the list of keys does not scroll sideways', (browser) => {
  let samples: SampleServer
  before(async () => {
    samples = await startSampleServer()
  })
  after(() => samples.close())

  for (const width of [320, 600, 768, 900, 1024, 1180, 1440, 1920])
    test(`at ${width} pixels`, async () => {
      const page = await browser.open({ viewport: { width, height: 800 } })
      await page.goto(`${samples.url}/keys`)
      assert.equal(await sidewaysScroll(page), 0)
      const table = await page.locator('table.keys').first().boundingBox()
      const panel = await page.locator('.panel').first().boundingBox()
      assert.ok(table && panel && table.width <= panel.width + 1, `table ${table?.width} in panel ${panel?.width}`)
    })
})
