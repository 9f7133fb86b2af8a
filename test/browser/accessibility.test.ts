import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assets } from '../../src/web/assets.ts'
import { axeFaults, describeInBrowser, sidewaysScroll, type WatchedPage } from '../support/chromium-suite.ts'
import { samplePages } from '../support/sample-pages.ts'
import { type SampleServer, startSampleServer } from '../support/sample-server.ts'
import { DESKTOP, PHONE } from '../support/screens.ts'

describeInBrowser(
  'every page passes axe’s checks and fits, on a desktop in light and on a phone in dark colours',
  (browser) => {
    let samples: SampleServer
    let page: WatchedPage
    before(async () => {
      samples = await startSampleServer()
      page = await browser.open({ colorScheme: 'light' })
    })
    after(() => samples.close())

    // Of many keys each row is like those of a few.
    for (const name of Object.keys(samplePages).filter((name) => name !== 'keys-many'))
      test(name, async () => {
        await page.goto(`${samples.url}/${name}`)
        await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
        for (const [viewport, colorScheme] of [
          [DESKTOP, 'light'],
          [PHONE, 'dark'],
        ] as const) {
          await page.setViewportSize(viewport)
          await page.emulateMedia({ colorScheme })
          assert.deepEqual(await axeFaults(page), [])
          assert.equal(await sidewaysScroll(page), 0)
        }
        assert.deepEqual(page.complaints, [])
      })
  },
)

test('dark differs from light in colours alone, so that one width of each is enough: web/pages/colours tests every pair of colours', () => {
  const css = assets['settings.css'].bytes.toString()
  const dark = [...css.matchAll(/@media \(prefers-color-scheme:dark\)\{:root\{([^{}]*)\}\}/g)]
  assert.equal(dark.length, 1)
  assert.equal(css.match(/prefers-color-scheme/g)?.length, 1)
  for (const declaration of dark[0]?.[1]?.split(';') ?? [])
    assert.match(declaration, /^--(shadow:none|[a-z-]+:#[0-9a-f]{6})$/)
  assert.doesNotMatch(assets['settings.js'].bytes.toString(), /color-scheme/)
})
