import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assetAt, assets } from '../../../src/web/assets.ts'
import { samplePages } from '../../support/sample-pages.ts'

test('whatever a page asks for is there', () => {
  for (const page of Object.values(samplePages))
    for (const [, path = ''] of page().matchAll(/(?:src|href)="(\/settings\/assets\/[^"]+)"/g))
      assert.ok(assetAt(path), path)
})

test('the address of an asset holds the hash of its bytes', () => {
  for (const [name, { hash, path }] of Object.entries(assets)) assert.equal(path, `/settings/assets/${hash}/${name}`)
})

test('they stay small', () => {
  const [css, script] = [assets['settings.css'].bytes.length, assets['settings.js'].bytes.length]
  assert.ok(script < 12_000, `script: ${script}`)
  assert.ok(css + script < 40_000, `script ${script}, styles ${css}`)
})

test('nothing is fetched from elsewhere', () => {
  assert.doesNotMatch(assets['settings.css'].bytes.toString(), /@import|url\(/)
})
