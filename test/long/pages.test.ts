import assert from 'node:assert/strict'
import { assertAccessible, sidewaysScroll } from '../support/chromium-suite.ts'
import { samplePages } from '../support/sample-pages.ts'
import { describeSamples } from '../support/sample-suite.ts'

describeSamples('every page passes axe’s checks, on a desktop in light and on a phone in dark colours', (test) => {
  for (const name of Object.keys(samplePages))
    test(name, async (page, url) => {
      await page.goto(`${url}/${name}`)
      await assertAccessible(page)
    })
})

/** Unreadable text: outside the window, or cut off by its own box. Scrollable boxes, and texts that a title or a detail has whole, are left out. */
const CUT_OFF = `[...document.querySelectorAll('body *')].filter((element) => {
  if (!element.checkVisibility()) return false
  if (element.closest('.visually-hidden, .skip, pre, textarea, svg, [role=tablist], .workspace, .request-log, [title]')) return false
  const { left, right, width } = element.getBoundingClientRect()
  const hides = getComputedStyle(element).overflowX !== 'visible' && !element.matches('input')
  return width > 0 && (right > innerWidth + 1 || left < -1 || (hides && element.scrollWidth > element.clientWidth + 1))
}).map((element) => element.outerHTML.slice(0, 120))`

describeSamples('every page fits its window at every width', (test) => {
  for (const name of Object.keys(samplePages))
    test(name, async (page, url) => {
      const fits = async (when: string) =>
        assert.deepEqual([await sidewaysScroll(page), await page.evaluate(CUT_OFF)], [0, []], when)
      await page.goto(`${url}/${name}`)
      for (const width of [320, 390, 640, 768, 900, 1024, 1180, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 })
        await fits(`at ${width} pixels`)
      }
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.evaluate('document.documentElement.style.fontSize = "200%"')
      await fits('with text twice as large')
    })
})

describeSamples('with forced colours', (test) => {
  test('the current page and the usage are still visible', async (page, url) => {
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto(`${url}/keys`)
    const styleOf = (selector: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`)
    assert.equal(await styleOf('.nav [aria-current]', 'outlineStyle'), 'solid')
    assert.equal(await styleOf('.chips [aria-current]', 'outlineStyle'), 'solid')
    assert.equal(await styleOf('.chart', 'stroke'), await styleOf('body', 'color'))
  })
})
