import assert from 'node:assert/strict'
import { sidewaysScroll } from '../support/chromium-suite.ts'
import { describeSamples } from '../support/sample-suite.ts'

/** The words of usual length that lie on more than one line. Between parts of an address a line may break. */
const BROKEN_WORDS = `((selector) => {
  const broken = []
  const texts = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (word.length <= 16 && lines.size > 1) broken.push(word)
    }
  return broken
})`

describeSamples('no table scrolls sideways or breaks a word', (test) => {
  for (const [sample, table] of [
    ['keys', 'keys'],
    ['keys-many', 'keys'],
    ['workspace', 'sources'],
    ['audit', 'audit'],
    ['members', 'members'],
  ] as const)
    test(sample, async (page, url) => {
      await page.goto(`${url}/${sample}`)
      for (const width of [320, 600, 768, 900, 1024, 1180, 1280, 1440, 1920]) {
        await page.setViewportSize({ width, height: 800 })
        const when = `at ${width} pixels`
        assert.equal(await sidewaysScroll(page), 0, when)
        const inner = await page.locator(`table.${table}`).first().boundingBox()
        const panel = await page.locator(`.panel:has(> table.${table})`).first().boundingBox()
        assert.deepEqual(await page.evaluate(`${BROKEN_WORDS}('table.${table}')`), [], when)
        assert.ok(inner && panel && inner.width <= panel.width + 1, `${when}: ${inner?.width} in ${panel?.width}`)
      }
    })
})
