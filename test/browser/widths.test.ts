import assert from 'node:assert/strict'
import { sidewaysScroll } from '../support/chromium-suite.ts'
import { corePages } from '../support/sample-pages.ts'
import { describeSamples } from '../support/sample-suite.ts'

/** Words of usual length that are split over several lines. Lines may break between the parts of an address. */
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

describeSamples('the list of keys is visible at a glance', (test) => {
  const boxes = `[...document.querySelectorAll('.keys tbody > tr:not(.notes)')].map((row) => {
    const { top, height } = row.getBoundingClientRect()
    return { top, height, label: row.querySelector('.label').getBoundingClientRect().height }
  })`
  const lines = `['.chips', '.search', '.sort'].map((part) => {
    const { top, bottom } = document.querySelector(part).getBoundingClientRect()
    return Math.round((top + bottom) / 2)
  })`
  for (const sample of ['keys', 'keys-notice', 'keys-attention', 'keys-many'])
    test(sample, async (page, url) => {
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.goto(`${url}/${sample}`)
      const rows = await page.evaluate<{ top: number; height: number; label: number }[]>(boxes)
      const notice = (await page.locator('.notice').count()) > 0
      assert.ok((rows[0]?.top ?? 999) <= (notice ? 365 : 300), `the first key is at ${rows[0]?.top}`)
      // A long label may take more than its line.
      for (const { height, label } of rows.filter((row) => row.label < 25))
        assert.ok(height >= 48 && height <= 56, `${height}, of which the label has ${label}`)
      assert.equal(new Set(await page.evaluate<number[]>(lines)).size, 1, 'filters, search and order are on one line')
    })
})

/** Names in the sample pages, which become 80 characters without a line break. */
const NAMES = /Nightly report|Claude Code, Priya’s laptop|Warehouse dashboard|Planning sheet|Northwind Buying/g

describeSamples('names of 80 characters', (test) => {
  test('no page overflows a narrow phone', async (page, url) => {
    await page.setViewportSize({ width: 320, height: 640 })
    const overflowing: string[] = []
    for (const name of corePages) {
      await page.goto(`${url}/${name}`)
      await page.evaluate(`document.body.innerHTML = document.body.innerHTML.replaceAll(${NAMES}, 'W'.repeat(80))`)
      if ((await sidewaysScroll(page)) > 0) overflowing.push(name)
    }
    assert.deepEqual(overflowing, [])
  })
})
