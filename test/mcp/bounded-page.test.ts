import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListPage, PageRequest } from '../../src/lists/query.ts'
import { type BoundedPage, readBoundedPage } from '../../src/mcp/bounded-page.ts'

const LONG = ['text']
const REQUEST: PageRequest = { filters: {}, limit: 100 }

/** Notes of these lengths, and what was read of them. A position is the index of the row. */
function notes(lengths: readonly number[]) {
  const reads: { rows: number; bytes: number }[] = []
  const read = async ({ after = [-1], limit, maxText = Number.POSITIVE_INFINITY }: PageRequest): Promise<ListPage> => {
    const start = Number(after[0]) + 1
    const end = Math.min(start + limit, lengths.length)
    const rows = lengths
      .slice(start, end)
      .map((length, i) => JSON.stringify({ id: `n${start + i}`, text: 'x'.repeat(Math.min(length, maxText)) }))
    reads.push({ rows: rows.length, bytes: rows.join().length })
    const positions = rows.map((_, i) => [start + i])
    return { rows, positions, next: end < lengths.length ? [end - 1] : undefined, until: 1000 - start }
  }
  return { reads, read }
}

const idsIn = (page: BoundedPage): string[] => JSON.parse(`[${page.rows}]`).map(({ id }: { id: string }) => id)

test('of whole texts, little more is read than a page shows, however long they are', async () => {
  const { reads, read } = notes(Array.from({ length: 200 }, () => 10_000))
  const page = await readBoundedPage(LONG, { ...REQUEST, fields: ['id', 'text'] }, read)
  assert.deepEqual(idsIn(page), ['n0', 'n1', 'n2'])
  assert.deepEqual(page.next, [2])
  assert.deepEqual(
    reads.map(({ rows }) => rows),
    [25],
  )
})

test('of truncated texts, only the beginning is read, and short rows are one page', async () => {
  const long = notes(Array.from({ length: 200 }, () => 10_000))
  const page = await readBoundedPage(LONG, REQUEST, long.read)
  assert.equal(idsIn(page).length, 73)
  assert.deepEqual(page.next, [72])
  assert.ok(long.reads.every(({ bytes }) => bytes < 100 * 600))
  const short = notes(Array.from({ length: 200 }, () => 100))
  assert.equal(idsIn(await readBoundedPage(LONG, REQUEST, short.read)).length, 100)
  assert.deepEqual(short.reads.length, 1)
})
