import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assets } from '../../src/web/assets.ts'
import { describeAxe, looks } from '../support/axe-suite.ts'
import { corePages } from '../support/sample-pages.ts'

/**
 * The markup is the same in all colour schemes and widths, and web/pages/colours tests the contrast of every pair of colours. The
 * long tests check every page in each of them, by all rules.
 */
describeAxe('each kind of page passes axe’s checks, in turn on a desktop in light and on a phone in dark colours', {
  pages: corePages,
  looksOf: (index) => looks.filter((_, look) => look === index % looks.length),
  except: ['color-contrast'],
})

test('dark differs from light only in colours, so one width of each is enough: web/pages/colours tests every pair of colours', () => {
  const css = assets['settings.css'].bytes.toString()
  const dark = [...css.matchAll(/@media \(prefers-color-scheme:dark\)\{:root\{([^{}]*)\}\}/g)]
  assert.equal(dark.length, 1)
  assert.equal(css.match(/prefers-color-scheme/g)?.length, 1)
  for (const declaration of dark[0]?.[1]?.split(';') ?? []) assert.match(declaration, /^--[a-z-]+:#[0-9a-f]{6}$/)
  assert.doesNotMatch(assets['settings.js'].bytes.toString(), /color-scheme/)
})
