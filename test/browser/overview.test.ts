import assert from 'node:assert/strict'
import { describeSamples } from '../support/sample-suite.ts'

describeSamples('the chart of the overview', (test) => {
  test('describes a day at once, with the pointer and with the keyboard', async (page, url) => {
    await page.goto(`${url}/overview`)
    const words = () => page.locator('.plot output').textContent()
    await page.locator('.day').first().hover()
    assert.match((await words()) ?? '', /^17 Oct 2026: \d+ served/)
    await page.locator('[data-chart]').focus()
    for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
    assert.match((await words()) ?? '', /^19 Oct 2026/)
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('.plot output').count(), 0)
  })
})
