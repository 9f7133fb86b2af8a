import assert from 'node:assert/strict'
import { assertAccessible, type WatchedPage } from '../support/chromium-suite.ts'
import { samplePages } from '../support/sample-pages.ts'
import { describeSamples } from '../support/sample-suite.ts'

describeSamples('every page passes axe’s checks, on a desktop in light and on a phone in dark colours', (test) => {
  for (const name of Object.keys(samplePages))
    test(name, async (page, url) => {
      await page.goto(`${url}/${name}`)
      await assertAccessible(page)
    })
})

describeFit('every page fits its window at every width', [320, 390, 640, 768, 900, 1024, 1100, 1180, 1280, 1440])

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

interface Faults {
  sideways: number
  /** Unreadable text: outside the window, or cut off by its own box. Scrollable boxes, and texts that a title or a detail has whole, are left out. */
  cutOff: string[]
  /** What is clicked and lower than 40 pixels. Links within sentences are as high as their text. */
  low: string[]
  /** Links of a summary of errors that are lower than 24 pixels (WCAG 2.2, 2.5.8). */
  small: string[]
  /** How much the widths of panels differ. */
  uneven: number
}

const NONE: Faults = { sideways: 0, cutOff: [], low: [], small: [], uneven: 0 }

/** One script, for each call costs as much as the rest of it. */
const FAULTS = `(() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility())
  const excerpt = (element) => element.outerHTML.slice(0, 120)
  const isCutOff = (element) => {
    if (element.closest('.visually-hidden, .skip, pre, textarea, svg, [role=tablist], .workspace, .request-log, [title]')) return false
    const { left, right, width } = element.getBoundingClientRect()
    const hides = getComputedStyle(element).overflowX !== 'visible' && !element.matches('input')
    return width > 0 && (right > innerWidth + 1 || left < -1 || (hides && element.scrollWidth > element.clientWidth + 1))
  }
  const targets = shown('.button, .quiet, .nav a, .chips a, .menu summary, select, .field > input')
  const panels = shown('.content > .panel').map((panel) => Math.round(panel.getBoundingClientRect().width))
  return {
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    cutOff: shown('body *').filter(isCutOff).map(excerpt),
    low: targets.filter((target) => target.getBoundingClientRect().height < 40).map(excerpt),
    small: shown('.notice li a').filter((link) => link.getBoundingClientRect().height < 24).map(excerpt),
    uneven: panels.length === 0 ? 0 : Math.max(...panels) - Math.min(...panels),
  }
})()`

/** Pages at each of the widths, and with text twice as large; all sample pages if none are named. */
function describeFit(title: string, widths: readonly number[], pages = Object.keys(samplePages)): void {
  describeSamples(title, (test) => {
    const fits = async (page: WatchedPage, when: string) =>
      assert.deepEqual(await page.evaluate<Faults>(FAULTS), NONE, when)

    for (const name of pages)
      test(name, async (page, url) => {
        await page.setViewportSize({ width: 320, height: 640 })
        await page.goto(`${url}/${name}`)
        for (const width of [...widths, 1920]) {
          await page.setViewportSize({ width, height: 800 })
          await fits(page, `at ${width} pixels`)
        }
        const content = await page.locator('.content, .card').boundingBox()
        const main = await page.locator('main').boundingBox()
        assert.ok(content && main)
        const [left, right] = [content.x - main.x, main.x + main.width - content.x - content.width]
        assert.ok(
          left > 100 && Math.abs(left - right) < 2,
          `at 1920 pixels: ${left} left, ${right} right of the content`,
        )
        await page.setViewportSize({ width: 1280, height: 800 })
        await page.evaluate('document.documentElement.style.fontSize = "200%"')
        await fits(page, 'with text twice as large')
      })
  })
}
