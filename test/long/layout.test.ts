import assert from 'node:assert/strict'
import { describeFit } from '../support/fit-suite.ts'
import { corePages } from '../support/sample-pages.ts'
import { describeSamples } from '../support/sample-suite.ts'

/** 640 pixels are what a zoom of 200 % leaves of 1280. The long tests check every page at more widths. */
describeFit('each kind of page fits its window', [320, 640, 1100], [...corePages])

describeSamples('the list of keys', (test) => {
  test('with forced colours, the current page and the usage are still visible', async (page, url) => {
    await page.emulateMedia({ forcedColors: 'active' })
    await page.goto(`${url}/keys`)
    const styleOf = (selector: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`)
    assert.equal(await styleOf('.nav [aria-current]', 'outlineStyle'), 'solid')
    assert.equal(await styleOf('.chips [aria-current]', 'outlineStyle'), 'solid')
    assert.equal(await styleOf('.chart', 'stroke'), await styleOf('body', 'color'))
  })

  test('the keyboard follows the visible order of the list', async (page, url) => {
    await page.emulateMedia({ forcedColors: 'none' })
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${url}/keys`)
    const places: { x: number; y: number; inTable: boolean }[] = []
    await page.locator('#q').focus()
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Tab')
      places.push(
        await page.evaluate(`(() => {
          const { x, y } = document.activeElement.getBoundingClientRect()
          return { x, y: y + scrollY, inTable: document.activeElement.closest('table') !== null }
        })()`),
      )
    }
    const rows = places.filter(({ inTable }) => inTable)
    assert.ok(rows.length >= 8)
    for (const [index, place] of rows.entries()) {
      const before = rows[index - 1]
      if (before !== undefined)
        assert.ok(place.y > before.y + 20 || place.x > before.x, JSON.stringify([before, place]))
    }
  })
})
