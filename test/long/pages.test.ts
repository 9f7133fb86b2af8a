import assert from 'node:assert/strict'
import { assertAccessible } from '../support/axe-suite.ts'
import { describeFit } from '../support/fit-suite.ts'
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
