import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assets } from '../../src/web/assets.ts'
import { assertAccessible, looks, sidewaysScroll } from '../support/chromium-suite.ts'
import { samplePages } from '../support/sample-pages.ts'
import { describeSamples } from '../support/sample-suite.ts'

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

/** Names in the sample pages, which become 80 characters without a line break. */
const NAMES = /Nightly report|Claude Code, Priya’s laptop|Warehouse dashboard|Planning sheet|Northwind Buying/g

/**
 * The markup is the same in all colour schemes and widths, and web/pages/colours tests the contrast of every pair of colours. The
 * long tests check every page in each of them, by all rules.
 */
describeSamples('each kind of page is accessible, and fits a narrow phone with names of any length', (test) => {
  for (const [index, name] of Object.keys(samplePages).entries())
    test(name, async (page, url) => {
      await page.goto(`${url}/${name}`)
      await assertAccessible(
        page,
        looks.filter((_, look) => look === index % looks.length),
        ['color-contrast'],
      )
      await page.setViewportSize({ width: 320, height: 640 })
      // An open menu lies on the page.
      await page.evaluate('for (const menu of document.querySelectorAll("details.menu")) menu.open = false')
      assert.deepEqual(await page.evaluate(COLLISIONS), [])
      await page.evaluate(`document.body.innerHTML = document.body.innerHTML.replaceAll(${NAMES}, 'W'.repeat(80))`)
      assert.equal(await sidewaysScroll(page), 0)
    })
})

test('dark differs from light only in colours, so one width of each is enough', () => {
  const css = assets['settings.css'].bytes.toString()
  const dark = [...css.matchAll(/@media \(prefers-color-scheme:dark\)\{:root\{([^{}]*)\}\}/g)]
  assert.equal(dark.length, 1)
  assert.equal(css.match(/prefers-color-scheme/g)?.length, 1)
  for (const declaration of dark[0]?.[1]?.split(';') ?? []) assert.match(declaration, /^--[a-z-]+:#[0-9a-f]{6}$/)
})

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
    ['workspace', 'sources'],
    ['audit', 'audit'],
    ['members', 'members'],
    ['requests', 'request-log'],
  ] as const)
    test(sample, async (page, url) => {
      await page.goto(`${url}/${sample}`)
      for (const width of [320, 600, 768, 1024, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        const when = `at ${width} pixels`
        assert.equal(await sidewaysScroll(page), 0, when)
        assert.deepEqual(await page.evaluate(`${BROKEN_WORDS}('table.${table}')`), [], when)
        const inner = await page.locator(`table.${table}`).first().boundingBox()
        const panel = await page
          .locator(`.panel:has(> table.${table}), form:has(> table.${table})`)
          .first()
          .boundingBox()
        assert.ok(inner && panel && inner.width <= panel.width + 1, `${when}: ${inner?.width} in ${panel?.width}`)
      }
    })
})
