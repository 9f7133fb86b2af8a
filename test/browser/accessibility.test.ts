import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import { assets } from '../../src/web/assets.ts'
import { axeFaults, describeInBrowser, sidewaysScroll, type WatchedPage } from '../support/chromium-suite.ts'
import { samplePages } from '../support/sample-pages.ts'
import { type SampleServer, startSampleServer } from '../support/sample-server.ts'
import { DESKTOP, PHONE } from '../support/screens.ts'

/** Axe's rules that read colours: those that are on by default. */
const COLOUR_RULES = axe
  .getRules(['cat.color'])
  .filter(({ enabled }) => enabled)
  .map(({ ruleId }) => ruleId)

describeInBrowser('every page passes axe’s checks and fits, on a desktop and on a phone, light and dark', (browser) => {
  let samples: SampleServer
  let page: WatchedPage
  before(async () => {
    samples = await startSampleServer()
    page = await browser.open({ colorScheme: 'light' })
  })
  after(() => samples.close())

  for (const name of Object.keys(samplePages))
    test(name, async () => {
      await page.goto(`${samples.url}/${name}`)
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
      for (const viewport of [DESKTOP, PHONE]) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme: 'light' })
        assert.deepEqual(await axeFaults(page), [])
        assert.equal(await sidewaysScroll(page), 0)
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await axeFaults(page, COLOUR_RULES), [])
      }
      assert.deepEqual(page.complaints, [])
    })
})

test('dark differs from light in colours alone, so that the rules about colours are enough there', () => {
  const css = assets['settings.css'].bytes.toString()
  const dark = [...css.matchAll(/@media \(prefers-color-scheme:dark\)\{:root\{([^{}]*)\}\}/g)]
  assert.equal(dark.length, 1)
  assert.equal(css.match(/prefers-color-scheme/g)?.length, 1)
  for (const declaration of dark[0]?.[1]?.split(';') ?? [])
    assert.match(declaration, /^--(shadow:none|[a-z-]+:#[0-9a-f]{6})$/)
  assert.doesNotMatch(assets['settings.js'].bytes.toString(), /color-scheme/)
})
