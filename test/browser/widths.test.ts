import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { describeInBrowser, sidewaysScroll } from '../support/chromium-suite.ts'
import { type SampleServer, startSampleServer } from '../support/sample-server.ts'

for (const list of ['keys', 'sources'])
  describeInBrowser(`the list of ${list} does not scroll sideways`, (browser) => {
    let samples: SampleServer
    before(async () => {
      samples = await startSampleServer()
    })
    after(() => samples.close())

    for (const width of [320, 600, 768, 900, 1024, 1180, 1280, 1440, 1920])
      test(`at ${width} pixels`, async () => {
        const page = await browser.open({ viewport: { width, height: 800 } })
        await page.goto(`${samples.url}/${list}`)
        assert.equal(await sidewaysScroll(page), 0)
        const table = await page.locator(`table.${list}`).first().boundingBox()
        const panel = await page.locator('.panel').first().boundingBox()
        assert.ok(table && panel && table.width <= panel.width + 1, `table ${table?.width} in panel ${panel?.width}`)
      })
  })
