import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assetAt, assets } from '../../../src/web/assets.ts'
import { samplePages } from '../../support/sample-pages.ts'

test('every asset that a page requests exists', () => {
  for (const page of Object.values(samplePages))
    for (const [, path = ''] of page().matchAll(/(?:src|href)="(\/settings\/assets\/[^"]+)"/g))
      assert.ok(assetAt(path), path)
})

test("an asset's address contains the hash of its bytes", () => {
  for (const [name, { hash, path }] of Object.entries(assets)) assert.equal(path, `/settings/assets/${hash}/${name}`)
})

test('styles and script stay under 50 KB together, the typeface under 60 KB, and every page under 60 KB', () => {
  const [css, script] = [assets['settings.css'].bytes.length, assets['settings.js'].bytes.length]
  assert.ok(script < 13_500, `script: ${script}`)
  assert.ok(css + script < 50_000, `script ${script}, styles ${css}`)
  const fonts = Object.values(assets).filter(({ type }) => type === 'font/woff2')
  assert.equal(fonts.length, 2)
  assert.ok(fonts.reduce((sum, { bytes }) => sum + bytes.length, 0) < 60_000)
  assert.ok(assets['docs.css'].bytes.length < 10_000)
  for (const [name, page] of Object.entries(samplePages)) assert.ok(Buffer.byteLength(page()) < 60_000, name)
})

test('nothing is fetched from other hosts', () => {
  for (const css of [assets['settings.css'], assets['docs.css']])
    for (const [, from = '@import'] of css.bytes.toString().matchAll(/@import|url\(([^)]*)\)/g))
      assert.ok(assetAt(from), from)
})
