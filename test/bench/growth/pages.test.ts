import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { measurePages, pagesOf } from '../../../bench/growth/pages.ts'

test('pages of a large workspace are followed from one to the next, compared with a plain query, and measured', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-pages-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const tasks = 4000
  assert.deepEqual(
    pagesOf(tasks).map(({ page }) => page),
    [1, 20, 1, 4],
  )
  for (const { costs } of await measurePages(folder, tasks, 1)) {
    assert.equal(costs.length, 4)
    assert.ok(costs.every((cost) => cost > 0))
  }
})

test('for a million tasks, the 5,000th page is measured', () => {
  assert.deepEqual(
    pagesOf(1_000_000).map(({ name }) => name),
    ['page 1', 'page 5,000', 'of a book, page 1', 'of a book, page 1,000'],
  )
})
