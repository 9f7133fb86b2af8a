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
    ['requests', 'request-log'],
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

/** Pairs of texts that lie on each other. */
const COLLISIONS = `(() => {
  const boxes = []
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (!node.data.trim() || !node.parentElement.checkVisibility() || node.parentElement.closest('.visually-hidden, svg, pre')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const box of range.getClientRects()) boxes.push([box, node.data])
  }
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 7 && b.top < a.bottom - 7
  return boxes.flatMap(([a, text], i) => boxes.slice(i + 1).filter(([b]) => meet(a, b)).map(([, other]) => text + ' / ' + other))
})()`

describeSamples('a phone of 320 pixels', (test) => {
  const phone = { width: 320, height: 640 }
  test('shows no text on another', async (page, url) => {
    await page.setViewportSize(phone)
    for (const name of [...corePages, 'sign-ins']) {
      await page.goto(`${url}/${name}`)
      assert.deepEqual(await page.evaluate(COLLISIONS), [], name)
    }
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
