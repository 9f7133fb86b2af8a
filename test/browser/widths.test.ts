import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { describeInBrowser, sidewaysScroll, type WatchedPage } from '../support/chromium-suite.ts'
import { type SampleServer, startSampleServer } from '../support/sample-server.ts'

for (const [list, sample] of [
  ['keys', 'keys'],
  ['sources', 'workspace'],
  ['audit', 'audit'],
])
  describeInBrowser(`the list of ${list} does not scroll sideways`, (browser) => {
    let samples: SampleServer
    let page: WatchedPage
    before(async () => {
      samples = await startSampleServer()
      page = await browser.open()
    })
    after(() => samples.close())

    for (const width of [320, 600, 768, 900, 1024, 1180, 1280, 1440, 1920])
      test(`at ${width} pixels`, async () => {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(`${samples.url}/${sample}`)
        assert.equal(await sidewaysScroll(page), 0)
        const table = await page.locator(`table.${list}`).first().boundingBox()
        const panel = await page.locator(`.panel:has(> table.${list})`).first().boundingBox()
        assert.ok(table && panel && table.width <= panel.width + 1, `table ${table?.width} in panel ${panel?.width}`)
      })
  })
