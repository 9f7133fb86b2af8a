import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testOnly } from '../support/database.ts'
import { acmeProgram } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')

testOnly('sqlite')(
  'a server loads the pages and the Markdown library with the first request for a page, and nothing of the metrics',
  async (t) => {
    const vitrine = await acmeProgram(t)
    const list = join(vitrine.folder, 'modules')
    vitrine.env.LOADED_MODULES = list
    vitrine.env.NODE_OPTIONS = `--import=${join(ROOT, 'test/support/list-modules.mjs')}`
    const { url } = await vitrine.start('serve')
    const pages = () => readFileSync(list, 'utf8').match(/src\/web\/.+|node_modules\/marked\/.+/g) ?? []
    assert.equal((await fetch(`${url}/`)).status, 404)
    assert.deepEqual(
      pages().map((file) => file.replace(/.*src\//, 'src/')),
      ['src/web/lazy.ts'],
    )
    assert.equal((await fetch(`${url}/docs/rest`)).status, 200)
    assert.ok(pages().some((file) => file.includes('marked')))
    assert.ok(!pages().some((file) => file.includes('src/web/app.ts')), 'the settings are not asked for')
    assert.doesNotMatch(readFileSync(list, 'utf8'), /src\/metrics\//)
  },
)
