import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { samplePages } from '../../support/sample-pages.ts'

const WEB = join(import.meta.dirname, '../../../src/web')

test('what was typed becomes no markup: only the template, icons and Markdown produce HTML', () => {
  const unescaped = globSync('**/*.ts', { cwd: WEB }).filter((file) =>
    readFileSync(join(WEB, file), 'utf8').includes('new Html('),
  )
  assert.deepEqual(unescaped.sort(), ['html.ts', 'layout/icon.ts', 'site/markdown.ts'])
})

test('no page needs anything that the content security policy forbids, and every attribute is quoted', () => {
  for (const [name, page] of Object.entries(samplePages)) {
    const text = page()
    assert.equal(/<style|\sstyle=|<[^>]+\son\w+=|javascript:/.exec(text), null, name)
    for (const [, attributes = ''] of text.matchAll(/<script([^>]*)>/g))
      assert.match(attributes, /src="\/settings\//, name)
    for (const [tag] of text.matchAll(/<[a-z][^>]*>/g))
      assert.doesNotMatch(tag.replace(/"[^"]*"/g, '""'), /=[^"]/, `${name}: ${tag}`)
  }
})
